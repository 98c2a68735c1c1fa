// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank that may not go on fails, which stops the others. A rank that goes back remembers the step
// until the ranks agree.

#include "runtime/execute/Train.h"

#include "runtime/abi/files/Heartbeat.h"
#include "runtime/abi/program/TrainingStates.h"
#include "runtime/base/FiniteValues.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

/// Returns whether the program changes nothing in a step whose gradients are not finite.
bool skipsNonfinite(const abi::Executable &executable) {
  return std::ranges::any_of(executable.programs(), [](const abi::Program &program) {
    return std::ranges::any_of(program.parameters(), [](const abi::Parameter &parameter) {
      return parameter.name() == abi::skippedStepsState;
    });
  });
}

} // namespace

Expected<abi::OnNonfinite>
chooseOnNonfinite(abi::OnNonfinite given, const abi::Executable &executable, bool hasCheckpoints) {
  bool skips = skipsNonfinite(executable);
  if (given == abi::ON_NONFINITE_AUTO)
    return skips ? abi::ON_NONFINITE_SKIP : abi::ON_NONFINITE_STOP;
  if (given == abi::ON_NONFINITE_SKIP && !skips)
    return Status::badUsage("--on-nonfinite: expected a program that was compiled with "
                            "'--skip-nonfinite' or '--loss-scale=dynamic', got another one");
  if (given == abi::ON_NONFINITE_ROLLBACK && !hasCheckpoints)
    return Status::badUsage("--on-nonfinite: expected '--checkpoint=FOLDER' with rollback, to go "
                            "back to its checkpoints, got none");
  return given;
}

NonfiniteAction actionOf(abi::OnNonfinite chosen) {
  return chosen == abi::ON_NONFINITE_STOP       ? NonfiniteAction::Stop
         : chosen == abi::ON_NONFINITE_ROLLBACK ? NonfiniteAction::RollBack
                                                : NonfiniteAction::Continue;
}

Status NonfiniteWatch::reactToLoss(int64_t rank, int64_t step, const std::string &position,
                                   double loss) {
  // The parameters are not finite either, or will soon be.
  return react(rank, step, position, fmt::format("a finite loss, got {}", loss));
}

Status NonfiniteWatch::checkParameters(RankExecutor &rank, int64_t step,
                                       const std::string &position) {
  if (action == NonfiniteAction::Continue)
    return {};
  LocalWork work = rank.atWork("checks its parameters");
  std::vector<std::byte> copy;
  for (const abi::Parameter &parameter : rank.program().parameters()) {
    if (!parameter.trainable())
      continue;
    auto bytes = rank.read(parameter.buffer(), size_t(localBytes(parameter.block())), copy);
    if (!bytes)
      return bytes.status();
    if (!areFinite(parameter.block().type(), *bytes))
      return react(
          rank.rank(), step, position,
          fmt::format("finite numbers in the parameter '{}' after the update", parameter.name()));
    abi::beat();
  }
  return {};
}

Status NonfiniteWatch::react(int64_t rank, int64_t step, const std::string &position,
                             const std::string &expected) {
  if (action == NonfiniteAction::Continue)
    return {};
  if (action == NonfiniteAction::Stop)
    return Status::failed(fmt::format("{}: expected {}; no further checkpoint is written; "
                                      "'--on-nonfinite=continue' goes on",
                                      position, expected))
        .at({.rank = rank});
  for (int64_t seen = first; step < seen && !first.compare_exchange_weak(seen, step);)
    ;
  return {};
}

Expected<bool> NonfiniteWatch::rollsBack(RankExecutor &rank,
                                         TrainingCheckpoints &checkpoints) const {
  int64_t seen = first;
  return checkpoints.rollsBack(rank, seen == noStep ? std::nullopt : std::optional(seen));
}

} // namespace pcc::runtime
