// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written collectives. The gradient graph has the same collectives, with the same shapes and
// in the same order, or the question is refused for the same reason.
#include "test/conformance/training/Manual.h"

#include "test/conformance/training/Compile.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace pcc::conformance {
namespace {

constexpr Refusal refusals[] = {
    {"split_count", "expected a result of type"},
    {"manual_collective", "is written for one rank by hand: expected parallel mode stand_alone"},
    {"gradient_undefined", "no derivative of"},
    {"not_divisible", "is not divisible by"},
};

/// Returns an intended difference, which the documents of the parallel options require; else empty.
std::string differenceOf(const Case &question, StringRef error) {
  if (question.mode == "data_parallel" && error.contains("expected parallel mode stand_alone"))
    return "stand_alone is the mode for hand-written collectives, which are refused in all others";
  bool broadcasts = llvm::any_of(question.nodes, [](const Node &n) { return n.op == "Broadcast"; });
  if (broadcasts)
    return "the gradient of a broadcast is reduced to its root and zero elsewhere";
  return "";
}

/// Builds the model and compiles it up to its gradients.
Compiled compile(const Case &question, MLIRContext &context) {
  CompileOptions options;
  options.parallel.set_device_num(question.devices);
  options.parallel.set_parallel_mode(modeOf(question));
  options.training.optimizer = "momentum,lr=0.1,momentum=0.9";
  return compileModel(makeManualModel(question), options, CompilePhase::Grad, context);
}

std::string join(const std::vector<Collective> &collectives) {
  return llvm::join(llvm::map_range(collectives, [](const Collective &c) { return c.str(); }),
                    ", ");
}

} // namespace

Judgement judgeManual(const Case &question, MLIRContext &context) {
  auto [module, error] = compile(question, context);
  if (question.refused)
    return judgeRefusal(question, error, refusals);
  std::string difference = differenceOf(question, error);
  if (!module)
    return difference.empty() ? Judgement{Verdict::Failed, error}
                              : Judgement{Verdict::Differs, difference};
  std::vector<Collective> expected = collectivesOfAnswer(question);
  std::vector<Collective> actual = collectivesOfModule(*module);
  if (expected == actual)
    return {Verdict::Same, join(actual)};
  if (!difference.empty())
    return {Verdict::Differs, difference};
  return {Verdict::Failed, "expected " + join(expected) + "; got " + join(actual)};
}

} // namespace pcc::conformance
