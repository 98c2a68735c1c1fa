// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Searches.h"

#include "passes/solve/strategy/Solve.h"
#include "passes/strategy/memory_model/MemorySearch.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "test/conformance/strategies/Candidates.h"
#include "test/conformance/strategies/CostQuestion.h"
#include "test/conformance/strategies/Differences.h"
#include "test/conformance/strategies/StepTimes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using pcc::strategy::FactorCounts;
using pcc::strategy::MemoryProblem;
using pcc::strategy::MemorySpace;

namespace pcc::conformance {
namespace {

using AllCounts = std::vector<FactorCounts>;

/// Limit of devices for an unrestricted search of the best assignment. Above it, only the initial
/// strategies and strategies that use all devices are considered, because tables hold pairs of
/// strategies.
constexpr int64_t maxDevices = 16;
constexpr double searchSeconds = 5;
/// A busy machine may take so many times as long for the same decisions.
constexpr double slowdown = 50;
/// A step may take so many times as long as MindSpore's.
constexpr double allowed = 1.01;

/// Searches of one question under the cost model `memory`.
class Recursion {
public:
  Recursion(const Case &question, ModuleOp module)
      : question(question), module(module), costs(question, module) {}

  std::optional<AllCounts> readTheirs() const { return costs.readTheirs(); }
  double getTotal(const AllCounts &counts) const {
    return costs.getModel().getTotal(costs.getCost(counts));
  }

  /// Runs recursive programming, then tries neighboring choices of every op.
  AllCounts cut() const {
    strategy::ConstrainedProgram program;
    strategy::addRecursiveStrategy(module, question.devices, program);
    AllCounts counts;
    for (const strategy::MemoryNode &node : costs.getGraph().nodes)
      counts.push_back(strategy::countFactors(program.given.ops.at(node.op), program.mesh));
    return strategy::improveCounts(costs.getGraph(), costs.getSpace(), costs.getModel(),
                                   std::move(counts));
  }

  /// Searches for the best assignment, starting from `initial`.
  AllCounts findBest(const AllCounts &initial) const {
    llvm::DenseMap<mlir::Operation *, FactorCounts> begun;
    for (auto [node, counts] : llvm::zip_equal(costs.getGraph().nodes, initial))
      begun[node.op] = counts;
    MemorySpace space = costs.getSpace();
    space.allows = [&](mlir::Operation *op, ArrayRef<int64_t> counts) {
      int64_t used = 1;
      for (int64_t count : counts)
        used *= count;
      return question.devices <= maxDevices || used == question.devices || begun[op] == counts;
    };
    MemoryProblem problem(costs.getGraph(), std::move(space), costs.getModel());
    solve::SolveOptions options;
    options.seconds = searchSeconds;
    options.slowdown = slowdown;
    options.initial.emplace();
    for (auto [node, counts] : llvm::enumerate(initial))
      options.initial->push_back(problem.findOption(node, counts).value_or(0));
    solve::SolveResult result = solve::solveBest(problem.getProblem(), options);
    AllCounts best = initial;
    if (result.hasSolution())
      for (auto [node, option] : llvm::enumerate(result.solution)) {
        ArrayRef<int64_t> counts = problem.getOptions(node)[option];
        best[node].assign(counts.begin(), counts.end());
      }
    return best;
  }

private:
  const Case &question;
  ModuleOp module;
  CostQuestion costs;
};

} // namespace

Judgement judgeRecursion(const Case &question, MLIRContext &context) {
  Model model = makeModel(question);
  if (!model.unknownOperator.empty())
    return {Verdict::Skipped, "operator " + model.unknownOperator};
  Program program = compileSingle(model.text, /*trains=*/false, context);
  if (!program.module)
    return {Verdict::Failed, program.error};
  Recursion recursion(question, *program.module);
  std::optional<AllCounts> chosen = recursion.readTheirs();
  if (!chosen)
    return {Verdict::Skipped, "expected a strategy for every node"};
  AllCounts cut = recursion.cut();
  double theirs = recursion.getTotal(*chosen), ours = recursion.getTotal(cut);
  double best = recursion.getTotal(recursion.findBest(cut));
  std::string text =
      llvm::formatv("total {0:F1}, of the best {1:F1}, there {2:F1}", ours, best, theirs);
  constexpr double rounding = 1 + 1e-9;
  bool isGood = ours <= theirs * rounding && best <= ours * rounding;
  std::string error;
  if (auto times = measureSteps(question, model, context, error)) {
    text += llvm::formatv("; step {0:F3} us, ", times->cut / 1e6);
    if (times->best)
      text += llvm::formatv("best {0:F3}, ", *times->best / 1e6);
    text += llvm::formatv("there {0:F3}", times->theirs / 1e6);
    if (!times->isWhole)
      return {Verdict::Failed, text + " (0: no plan was found in time)"};
    isGood &= times->cut <= times->theirs * allowed &&
              times->best.value_or(0) <= times->theirs * rounding;
  }
  if (!error.empty())
    return {Verdict::Failed, error};
  return {isGood ? Verdict::Same : Verdict::Failed, text};
}

Judgement judgePropagation(const Case &question, MLIRContext &context) {
  Judgement listed = judgeCandidates(question, context);
  Model model = makeModel(question);
  if (listed.verdict == Verdict::Failed || !model.unknownOperator.empty())
    return listed;
  Program program = compileForward(question, model.text, context);
  if (!program.module)
    return {Verdict::Failed, program.error};
  int64_t ours = Compiled(*program.module, model, rankOf(question)).received;
  int64_t theirs = Answer(question).received;
  std::string text = llvm::formatv("receives {0} elements, there {1}", ours, theirs), error;
  if (!listed.text.empty())
    text = listed.text + "; " + text;
  auto times = measurePropagation(question, model, context, error);
  if (!times)
    return {Verdict::Failed, error};
  text += llvm::formatv("; step {0:F3} us, there {1:F3}", times->ours / 1e6, times->theirs / 1e6);
  bool isGood = ours <= theirs && times->ours <= times->theirs * allowed;
  return {isGood ? listed.verdict : Verdict::Failed, text};
}

} // namespace pcc::conformance
