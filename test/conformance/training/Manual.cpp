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

/// Builds the model and compiles it up to its gradients.
Compiled compile(const Case &question, abi::ParallelMode mode, MLIRContext &context) {
  CompileOptions options;
  options.parallel.set_device_num(question.devices);
  options.parallel.set_parallel_mode(mode);
  options.training.optimizer = "momentum,lr=0.1,momentum=0.9";
  return compileModel(makeManualModel(question), options, CompilePhase::Grad, context);
}

std::string join(const std::vector<Collective> &collectives) {
  return llvm::join(llvm::map_range(collectives, [](const Collective &c) { return c.str(); }),
                    ", ");
}

using Collectives = std::vector<Collective>;

/// Returns true if `all` has the collectives of `part` in the same order, and maybe others.
bool contains(const Collectives &all, const Collectives &part) {
  auto next = part.begin();
  for (const Collective &collective : all)
    if (next != part.end() && collective == *next)
      ++next;
  return next == part.end();
}

/// Judges a question whose mode allows no hand-written collectives here. In stand_alone mode the
/// program has the collectives of the answer, except for those that the other mode adds.
Judgement judgeOtherMode(const Case &question, MLIRContext &context) {
  auto [module, error] = compile(question, abi::STAND_ALONE, context);
  if (!module)
    return {Verdict::Failed, error};
  Collectives expected = collectivesOfAnswer(question), actual = collectivesOfModule(*module);
  if (actual.empty() || !contains(expected, actual))
    return {Verdict::Failed,
            "in stand_alone: expected " + join(expected) + "; got " + join(actual)};
  return {Verdict::Differs,
          "stand_alone is the mode for hand-written collectives, which are refused in all others"};
}

/// Returns true if the collectives differ only by the gradients of broadcasts.
bool differByBroadcasts(const Case &question, const Collectives &expected, Collectives actual) {
  int64_t broadcasts =
      llvm::count_if(question.nodes, [](const Node &n) { return n.op == "Broadcast"; });
  auto isReduce = [](const Collective &c) { return c.kind == "Reduce"; };
  if (broadcasts == 0 || llvm::count_if(actual, isReduce) != broadcasts)
    return false;
  llvm::erase_if(actual, isReduce);
  return contains(expected, actual);
}

} // namespace

Judgement judgeManual(const Case &question, MLIRContext &context) {
  abi::ParallelMode mode = modeOf(question);
  auto [module, error] = compile(question, mode, context);
  if (question.refused)
    return judgeRefusal(question, error, refusals);
  if (!module && mode != abi::STAND_ALONE &&
      StringRef(error).contains("expected parallel mode stand_alone"))
    return judgeOtherMode(question, context);
  if (!module)
    return {Verdict::Failed, error};
  Collectives expected = collectivesOfAnswer(question), actual = collectivesOfModule(*module);
  if (expected == actual)
    return {Verdict::Same, join(actual)};
  if (differByBroadcasts(question, expected, actual))
    return {Verdict::Differs,
            "the gradient of a broadcast is reduced to its root and zero elsewhere"};
  return {Verdict::Failed, "expected " + join(expected) + "; got " + join(actual)};
}

} // namespace pcc::conformance
