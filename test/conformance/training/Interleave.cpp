// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies. Every order in the answer between a communicating and a computing event also holds in
// pcc's program. An order that the answer's scheduling adds may be violated if it is not needed.
// Then pcc's order takes no longer, by the same times, than the best order under all of the
// answer's constraints.
#include "test/conformance/training/Interleave.h"
#include "dialects/pipe/Stages.h"

#include "runtime/machine/Cluster.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace pcc::conformance {
namespace {

constexpr Refusal refusals[] = {
    {"batch_not_divisible", "to divide the batch of input"},
};

Judgement judgeOrder(const CopyOrder &order) {
  if (!order.broken.empty())
    return {Verdict::Failed, llvm::join(order.broken, "\n  ")};
  std::string text = llvm::formatv(
      "{0} constraints between streams, {1} of {2} others; {3:f1} us, theirs {4:f1} us",
      order.crossing, order.added - int64_t(order.unmet.size()), order.added, order.ours * 1e6,
      order.seconds * 1e6);
  // Ops of one kernel of pcc may be separate events in the answer, with the loss after all others.
  bool isInTime = order.ours <= order.seconds * 1.001;
  if (isInTime)
    return {Verdict::Same, text};
  return {Verdict::Failed, text + "\n  " + llvm::join(order.unmet, "\n  ")};
}

} // namespace

Judgement judgeInterleave(const Case &question, MLIRContext &context) {
  StepOptions given(question);
  CompileOptions options = makeStepOptions(question, given);
  options.parallel.set_comm_fusion("off"); // the order alone: each collective has its own time
  if (given.shardsOptimizer)               // MindSpore shards parameters at every level
    options.parallel.set_parallel_optimizer_level(3);
  options.cluster = *machine::parseForm(std::to_string(question.devices) + "xV100");
  llvm::Expected<CompiledStep> compiled =
      compileStep(question, given, options, CompilePhase::Schedule, context);
  if (!compiled)
    return {Verdict::Failed, llvm::toString(compiled.takeError())};
  if (question.refused)
    return judgeRefusal(question, compiled->error, refusals);
  if (!compiled->module)
    return {Verdict::Failed, compiled->error};
  ModuleOp program = pipe::listPrograms(*compiled->module)->front();
  Doings ours = readDoings(program, given.copies, listEvents(question), *options.cluster);
  return judgeOrder(compareOrder(question, ours));
}

} // namespace pcc::conformance
