// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Costs.h"

#include "passes/solve/strategy/Solve.h"
#include "test/conformance/strategies/Candidates.h"
#include "test/conformance/strategies/Compiled.h"
#include "test/conformance/strategies/CostQuestion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using pcc::strategy::MemoryCost;
using pcc::strategy::MemoryProblem;
using pcc::strategy::MemoryUse;

namespace pcc::conformance {
namespace {

/// Findings of a question.
struct Found {
  std::vector<std::string> same, beyond, wrong;

  void compare(llvm::StringRef what, double ours, double theirs) {
    if (!isSameCost(ours, theirs))
      wrong.push_back(llvm::formatv("{0}: expected {1:F1}, got {2:F1}", what, theirs, ours));
  }

  Judgement judge() const {
    if (!wrong.empty())
      return {Verdict::Failed, llvm::join(wrong, "; ")};
    std::vector<std::string> all = beyond;
    llvm::append_range(all, same);
    return {beyond.empty() ? Verdict::Same : Verdict::Differs, llvm::join(all, "; ")};
  }
};

/// Returns the array under `key`, or an empty list.
llvm::ArrayRef<llvm::json::Value> listOf(const llvm::json::Object *object, llvm::StringRef key) {
  const llvm::json::Array *array = object ? object->getArray(key) : nullptr;
  return array ? llvm::ArrayRef(array->data(), array->size()) : llvm::ArrayRef<llvm::json::Value>();
}

/// Returns the cheapest entry of MindSpore's cost list, which is the one it chose.
const llvm::json::Object *findTaken(const Case &question) {
  const llvm::json::Object *least = nullptr;
  for (const llvm::json::Value &entry : listOf(question.object, "frontier"))
    if (!least || *entry.getAsObject()->getNumber("total") < *least->getNumber("total"))
      least = entry.getAsObject();
  return least;
}

/// Compares the cost tables of edges between two nodes, pair by pair.
class EdgeTables {
public:
  EdgeTables(const Case &question, const CostQuestion &costs, const MemoryProblem &problem,
             Found &found)
      : question(question), costs(costs), problem(problem), found(found) {}

  void compare() {
    for (const llvm::json::Value &value : listOf(question.object, "edge_costs")) {
      const llvm::json::Object &table = *value.getAsObject();
      std::string from = table.getString("from")->str(), to = table.getString("to")->str();
      if (const MemoryUse *use = findUse(from, to))
        compare(*use, from, to, *table.getArray("costs"));
    }
    if (numPairs)
      found.same.push_back(llvm::formatv("{0} pairs of strategies", numPairs));
  }

private:
  static constexpr llvm::StringLiteral fed = "_VirtualDataset", outside = "_VirtualOutput";

  /// Returns the last use between the two nodes: if there are several, the answer has the table of
  /// the last.
  const MemoryUse *findUse(llvm::StringRef from, llvm::StringRef to) const {
    int maker = costs.findNode(from), reader = costs.findNode(to);
    const MemoryUse *last = nullptr;
    if ((maker < 0 && from != fed) || (reader < 0 && to != outside))
      return last;
    for (const MemoryUse &use : problem.getGraph().uses)
      if (use.from.node == maker && use.node == reader && !use.from.reshaped)
        last = &use;
    return last;
  }

  /// Lists pcc's options for the candidates of `name`, in their order; nothing for a candidate that
  /// is not an option of pcc.
  std::vector<std::optional<int32_t>> listOptions(llvm::StringRef name) const {
    std::vector<std::optional<int32_t>> options;
    if (int node = costs.findNode(name); node >= 0)
      for (const llvm::json::Value &candidate :
           listOf(question.object->getObject("candidates"), name)) {
        const strategy::MemoryOp &op = problem.getGraph().nodes[node].modelOp;
        options.push_back(
            problem.findOption(node, countFactors(op, readTuples(*candidate.getAsArray()))));
      }
    if (options.empty()) // the strategy was given
      options.push_back(0);
    return options;
  }

  void compare(const MemoryUse &use, const std::string &from, const std::string &to,
               const llvm::json::Array &given) {
    auto makers = listOptions(from), readers = listOptions(to);
    if (given.size() != makers.size() * readers.size())
      return found.wrong.push_back(llvm::formatv("{0} to {1}: expected {2} pairs, got {3} by {4}",
                                                 from, to, given.size(), makers.size(),
                                                 readers.size()));
    size_t wrong = 0;
    for (auto [index, pair] : llvm::enumerate(given)) {
      auto maker = makers[index / readers.size()], reader = readers[index % readers.size()];
      if (!maker || !reader)
        continue;
      strategy::ReshardVolume ours = problem.measure(use, *maker, *reader);
      const llvm::json::Array &theirs = *pair.getAsArray();
      wrong += !isSameCost(ours.computation, *theirs[0].getAsNumber()) ||
               !isSameCost(ours.forward + ours.backward, *theirs[1].getAsNumber());
      ++numPairs;
    }
    if (wrong)
      found.wrong.push_back(
          llvm::formatv("{0} to {1}: {2} of {3} pairs differ", from, to, wrong, given.size()));
  }

  const Case &question;
  const CostQuestion &costs;
  const MemoryProblem &problem;
  Found &found;
  int64_t numPairs = 0;
};

/// One question, compiled and evaluated.
class Judge {
public:
  Judge(const Case &question, ModuleOp module)
      : question(question), costs(question, module),
        problem(costs.getGraph(), costs.getSpace(), costs.getModel()) {}

  void compareCosts(Found &found) {
    auto theirs = costs.readTheirs();
    if (!theirs)
      return found.wrong.push_back("expected a strategy for every node");
    const llvm::json::Object &taken = *findTaken(question);
    MemoryCost cost = costAsThere(*theirs);
    const strategy::MemoryModel &model = costs.getModel();
    found.compare("computation", cost.computation, *taken.getNumber("computation"));
    found.compare("communication", cost.activations + model.gamma * cost.parameters,
                  *taken.getNumber("communication"));
    found.compare("all communication", cost.activations + cost.parameters,
                  *taken.getNumber("communication_total"));
    found.compare("total", model.getTotal(cost), *taken.getNumber("total"));
    EdgeTables(question, costs, problem, found).compare();
  }

  void compareOptimum(Found &found) {
    solve::SolveResult result = solve::solveByDynamicProgramming(problem.getProblem());
    if (result.status != solve::SolveStatus::Optimal)
      return found.wrong.push_back("dynamic programming: " + result.reason);
    double ours = problem.getTotal(result.solution);
    double theirs = *findTaken(question)->getNumber("total");
    if (isSameCost(ours, theirs))
      found.same.push_back(llvm::formatv("total {0:F1}", ours));
    else if (ours < theirs)
      found.beyond.push_back(
          llvm::formatv("total {0:F1}, there {1:F1}, which is not the least", ours, theirs));
    else
      found.compare("least total", ours, theirs);
  }

private:
  /// Returns the cost in which readers of reshapes choose as MindSpore could. The
  /// answer's strategies are options of pcc, unless a node has a strategy that this search does not
  /// consider.
  MemoryCost costAsThere(const std::vector<strategy::FactorCounts> &counts) const {
    solve::StrategySolution solution;
    for (auto [node, nodeCounts] : llvm::enumerate(counts)) {
      std::optional<int32_t> option = problem.findOption(node, nodeCounts);
      if (!option)
        return costs.getCost(counts);
      solution.push_back(*option);
    }
    return problem.getCost(solution);
  }

  const Case &question;
  CostQuestion costs;
  MemoryProblem problem;
};

/// Compiles the question; returns a judgement if there is nothing to compare.
std::optional<Judgement> compile(const Case &question, MLIRContext &context, Program &program) {
  Model model = makeModel(question);
  if (!model.unknownOperator.empty())
    return Judgement{Verdict::Skipped, "operator " + model.unknownOperator};
  if (!findTaken(question))
    return Judgement{Verdict::Skipped, "no costs"};
  program = compileSingle(model.text, /*trains=*/false, context);
  if (!program.module)
    return Judgement{Verdict::Failed, program.error};
  return std::nullopt;
}

} // namespace

Judgement judgeCosts(const Case &question, MLIRContext &context) {
  Program program;
  if (std::optional<Judgement> refused = compile(question, context, program))
    return *refused;
  Found found;
  Judge(question, *program.module).compareCosts(found);
  found.same.insert(found.same.begin(), "costs");
  return found.judge();
}

Judgement judgeDynamicProgramming(const Case &question, MLIRContext &context) {
  Judgement listed = judgeCandidates(question, context);
  Program program;
  std::optional<Judgement> refused = compile(question, context, program);
  if (refused || listed.verdict == Verdict::Failed)
    return listed;
  Found found;
  (listed.verdict == Verdict::Same ? found.same : found.beyond).push_back(listed.text);
  Judge judge(question, *program.module);
  judge.compareCosts(found);
  judge.compareOptimum(found);
  return found.judge();
}

} // namespace pcc::conformance
