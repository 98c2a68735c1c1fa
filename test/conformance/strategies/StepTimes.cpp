// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/StepTimes.h"

#include "passes/analysis/names/OpNames.h"
#include "passes/strategy/constraints/MeshRefinement.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "passes/strategy/search/Search.h"
#include "runtime/machine/Cluster.h"
#include "test/conformance/strategies/CostQuestion.h"
#include "test/conformance/strategies/NodeGraph.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using pcc::strategy::ConstrainedProgram;
using pcc::strategy::SearchOptions;
using pcc::strategy::SearchOutcome;

namespace pcc::conformance {
namespace {

/// Turns the answer's assignment into constraints on the first piece of every node; other pieces
/// follow.
ConstrainedProgram pinTheirs(const Case &question, ModuleOp module) {
  const llvm::json::Object *strategies = question.object->getObject("strategies");
  strategy::MemoryGraph graph(module);
  std::vector<mlir::Operation *> ops;
  std::vector<strategy::DeviceMatrix> matrices;
  llvm::DenseSet<llvm::StringRef> known;
  for (const strategy::MemoryNode &node : graph.nodes) {
    llvm::StringRef name = findNode(question, node.op);
    const llvm::json::Array *tuples = strategies->getArray(name);
    if (!tuples || !known.insert(name).second)
      continue;
    ops.push_back(node.op);
    matrices.push_back(countFactors(node.modelOp, readTuples(*tuples)));
  }
  strategy::MeshRefinement refined = strategy::refineMesh(question.devices, matrices);
  ConstrainedProgram program;
  program.mesh = refined.mesh;
  for (auto [op, factors] : llvm::zip_equal(ops, refined.matrices))
    program.given.ops[op].factors = factors;
  return program;
}

/// Reads the time of a plan, if there is one.
void take(const SearchOutcome &outcome, double &time, StepTimes &times) {
  time = static_cast<double>(outcome.result.cost);
  times.isWhole &= outcome.isFeasible();
}

} // namespace

std::optional<StepTimes> measureSteps(const Case &question, const Model &model, unsigned maxAxes,
                                      MLIRContext &context, std::string &error) {
  bool trains =
      question.object->getBoolean("train").value_or(false) && !question.parameters.empty();
  Program program = trains ? compileStep(model.trainingText, context)
                           : compileSingle(model.text, /*trains=*/false, context);
  auto cluster = machine::parseCluster(std::to_string(question.devices) + "xh100");
  if (!program.module || !cluster) {
    error = program.module ? cluster.status().message() : program.error;
    return std::nullopt;
  }
  ConstrainedProgram theirs = pinTheirs(question, *program.module), cut;
  strategy::addRecursiveStrategy(*program.module, question.devices, cut);
  if (theirs.mesh.getAxes().size() > maxAxes || cut.mesh.getAxes().size() > maxAxes)
    return std::nullopt;
  SearchOptions options;
  options.solve.seconds = 3;
  options.solve.slowdown = 50;            // a busy machine makes the same decisions, later
  options.memoryLimit = int64_t(1) << 50; // only times are compared
  for (ConstrainedProgram *each : {&theirs, &cut})
    each->given.fullBatch = isFullBatch(question);
  ConstrainedProgram free;
  free.mesh = theirs.mesh;
  free.given.fullBatch = isFullBatch(question);
  strategy::SeedShardings fixed = free.given;
  StepTimes times;
  ModuleOp module = *program.module;
  take(strategy::search(module, theirs, *cluster, options), times.theirs, times);
  take(strategy::search(module, free, *cluster, options), times.best, times);
  cut.given.gradientFactor = [](auto &&...) { return 1.0; };
  dist::Mesh mesh = cut.mesh;
  strategy::annotateProgram(module, std::move(cut));
  take(strategy::improveSearch(module, mesh, fixed, *cluster, options), times.cut, times);
  return times;
}

} // namespace pcc::conformance
