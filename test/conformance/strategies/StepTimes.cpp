// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/StepTimes.h"

#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/reshard/ReshardTable.h"
#include "passes/strategy/constraints/MeshRefinement.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "passes/strategy/search/Search.h"
#include "runtime/machine/Cluster.h"
#include "test/conformance/strategies/CostQuestion.h"
#include "test/conformance/strategies/ModelWriter.h"
#include "test/conformance/strategies/NodeGraph.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using pcc::strategy::ConstrainedProgram;
using pcc::strategy::SearchOptions;
using pcc::strategy::SearchOutcome;

namespace pcc::conformance {
namespace {

/// Returns the strategy of the node of this name, if it is to be a constraint.
using FindStrategy = llvm::function_ref<std::optional<Tuples>(llvm::StringRef node)>;

/// Turns strategies into constraints on the first piece of every node; other pieces follow.
ConstrainedProgram pin(const Case &question, ModuleOp module, FindStrategy findStrategy) {
  strategy::MemoryGraph graph(module);
  std::vector<mlir::Operation *> ops;
  std::vector<strategy::DeviceMatrix> matrices;
  llvm::DenseSet<llvm::StringRef> known;
  for (const strategy::MemoryNode &node : graph.nodes) {
    llvm::StringRef name = findNode(question, node.op);
    std::optional<Tuples> tuples = findStrategy(name);
    if (!tuples || !known.insert(name).second)
      continue;
    ops.push_back(node.op);
    matrices.push_back(countFactors(node.modelOp, *tuples));
  }
  strategy::MeshRefinement refined = strategy::refineMesh(question.devices, matrices);
  ConstrainedProgram program;
  program.mesh = refined.mesh;
  program.given.fullBatch = isFullBatch(question);
  program.given.gradientFactor = [](auto &&...) { return 1.0; };
  for (auto [op, factors] : llvm::zip_equal(ops, refined.matrices))
    program.given.ops[op].factors = factors;
  return program;
}

/// Pins the answer's assignment.
ConstrainedProgram pinTheirs(const Case &question, ModuleOp module) {
  const llvm::json::Object *strategies = question.object->getObject("strategies");
  return pin(question, module, [&](llvm::StringRef name) -> std::optional<Tuples> {
    const llvm::json::Array *tuples = strategies->getArray(name);
    return tuples ? std::optional(readTuples(*tuples)) : std::nullopt;
  });
}

/// Pins the strategies that the question gives.
ConstrainedProgram pinGiven(const Case &question, ModuleOp module) {
  return pin(question, module, [&](llvm::StringRef name) -> std::optional<Tuples> {
    auto node = llvm::find_if(question.nodes, [&](const Node &n) { return n.name == name; });
    return node == question.nodes.end() ? std::nullopt : ModelWriter::strategyOf(*node);
  });
}

constexpr int64_t anyMemory = int64_t(1) << 50; ///< only times are compared

/// Propagates the constraints in `pinned`, with work weighed by `weighing`, if given. Then improves
/// all but `fixed`. Unlike a search, this is fast on a mesh of any number of axes.
SearchOutcome complete(ModuleOp module, ConstrainedProgram pinned, strategy::SeedShardings fixed,
                       const abi::Cluster &cluster, const abi::Cluster *weighing = nullptr) {
  SearchOptions options;
  options.memoryLimit = anyMemory;
  dist::Mesh mesh = pinned.mesh;
  strategy::annotateProgram(module, std::move(pinned), weighing);
  return strategy::improveSearch(module, mesh, std::move(fixed), cluster, options);
}

/// Reads the time of a plan, if there is one.
void take(const SearchOutcome &outcome, double &time, StepTimes &times) {
  time = static_cast<double>(outcome.result.cost);
  times.isWhole &= outcome.isFeasible();
}

/// A question's training step, or its forward graph if it does not train, and a machine.
struct TimedProgram {
  Program program;
  abi::Cluster cluster;
};

std::optional<TimedProgram> compileTimed(const Case &question, const Model &model,
                                         MLIRContext &context, std::string &error) {
  bool trains =
      question.object->getBoolean("train").value_or(false) && !question.parameters.empty();
  Program program = trains ? compileStep(model.trainingText, context)
                           : compileSingle(model.text, /*trains=*/false, context);
  auto cluster = machine::parseCluster(std::to_string(question.devices) + "xh100");
  if (program.module && cluster)
    return TimedProgram{std::move(program), *cluster};
  error = program.module ? cluster.status().message() : program.error;
  return std::nullopt;
}

/// Returns the step time of a program whose constraints are propagated.
double measurePropagated(ModuleOp module, const ConstrainedProgram &pinned,
                         const abi::Cluster &cluster) {
  return static_cast<double>(complete(module, pinned, pinned.given, cluster, &cluster).costBefore);
}

} // namespace

std::optional<StepTimes> measureSteps(const Case &question, const Model &model,
                                      MLIRContext &context, std::string &error) {
  std::optional<TimedProgram> timed = compileTimed(question, model, context, error);
  if (!timed)
    return std::nullopt;
  ModuleOp module = *timed->program.module;
  const abi::Cluster &cluster = timed->cluster;
  ConstrainedProgram theirs = pinTheirs(question, module), cut;
  strategy::addRecursiveStrategy(module, question.devices, cut);
  cut.given.fullBatch = isFullBatch(question);
  SearchOptions options;
  options.solve.seconds = 3;
  options.solve.slowdown = 50; // a busy machine makes the same decisions, later
  options.memoryLimit = anyMemory;
  StepTimes times;
  if (theirs.mesh.getAxes().size() > analysis::maxTableAxes) {
    take(complete(module, theirs, theirs.given, cluster), times.theirs, times);
  } else {
    ConstrainedProgram free;
    free.mesh = theirs.mesh;
    free.given.fullBatch = isFullBatch(question);
    take(strategy::search(module, theirs, cluster, options), times.theirs, times);
    take(strategy::search(module, free, cluster, options), times.best.emplace(), times);
  }
  strategy::SeedShardings fixed;
  fixed.fullBatch = isFullBatch(question);
  cut.given.gradientFactor = [](auto &&...) { return 1.0; };
  take(complete(module, std::move(cut), std::move(fixed), cluster), times.cut, times);
  return times;
}

std::optional<PropagatedTimes> measurePropagation(const Case &question, const Model &model,
                                                  MLIRContext &context, std::string &error) {
  std::optional<TimedProgram> timed = compileTimed(question, model, context, error);
  if (!timed)
    return std::nullopt;
  ModuleOp module = *timed->program.module;
  double ours = measurePropagated(module, pinGiven(question, module), timed->cluster);
  double theirs = measurePropagated(module, pinTheirs(question, module), timed->cluster);
  return PropagatedTimes{ours, theirs};
}

} // namespace pcc::conformance
