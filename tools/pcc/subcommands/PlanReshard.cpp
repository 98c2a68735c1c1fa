// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc plan-reshard: plans how a tensor changes from one sharding to another, for one pair of
// shardings or a file of pairs. Reports the bytes moved and the time.

#include "compiler/interpret/compare/Verify.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "passes/partition/Passes.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/flags/ClusterFlag.h"
#include "tools/pcc/flags/Session.h"
#include "tools/pcc/subcommands/ReshardPairs.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {

constexpr int64_t bytesPerElement = 4; // f32

/// The plan of one pair and its cost.
struct PlannedPair {
  analysis::ReshardPlan plan;
  std::vector<machine::CollectiveCost> costs; ///< of each step
  double seconds = 0;
  std::optional<bool> equal; ///< whether the run was right; set by --execute
  std::string difference;    ///< what was wrong with the run

  int64_t getBytes() const { return plan.getReceived() * bytesPerElement; }
};

/// Formats `64x64xf32`.
std::string typeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32";
}

/// Builds a function that returns its argument; with `isSharded` it reshards from `pair.from` to
/// `pair.to`.
mlir::OwningOpRef<mlir::ModuleOp> makeProgram(const ReshardPair &pair, bool isSharded,
                                              mlir::MLIRContext &context) {
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = mlir::RankedTensorType::get(pair.shape, builder.getF32Type());
  auto function = mlir::func::FuncOp::create(
      builder, loc, "reshard",
      builder.getFunctionType(mlir::TypeRange(type), mlir::TypeRange(type)));
  builder.setInsertionPointToStart(function.addEntryBlock());
  mlir::Value value = function.getArgument(0);
  if (isSharded) {
    auto from = dist::ShardingAttr::get(&context, pair.from);
    auto to = dist::ShardingAttr::get(&context, pair.to);
    (*module)->setAttr(dist::meshAttrName, dist::MeshAttr::get(&context, pair.mesh));
    function.setArgAttr(0, dist::shardingAttrName, from);
    function.setResultAttr(0, builder.getStringAttr(dist::shardingAttrName), to);
    value = dist::ReshardOp::create(builder, loc, type, value, from, to);
  }
  mlir::func::ReturnOp::create(builder, loc, value);
  return module;
}

/// Puts the reshard of `pair` into a program and replaces it by the collectives of its plan. Runs
/// all ranks in the interpreter on random values, and compares the joined result with the input.
/// `cluster` is the cluster for which the plan was made, or null.
interpret::Report runReshard(const ReshardPair &pair, const abi::Cluster *cluster,
                             mlir::MLIRContext &context) {
  mlir::OwningOpRef<mlir::ModuleOp> one = makeProgram(pair, /*isSharded=*/false, context);
  mlir::OwningOpRef<mlir::ModuleOp> many = makeProgram(pair, /*isSharded=*/true, context);
  if (cluster)
    (*many)->setDiscardableAttr(analysis::clusterAttrName,
                                mlir::StringAttr::get(&context, machine::toText(*cluster)));
  mlir::PassManager passes(&context);
  passes.addPass(partition::createReshardsToCollectives());
  passes.addPass(partition::createLocalize());
  if (mlir::failed(passes.run(*many)))
    return {{{"reshard", interpret::CaseStatus::Failed, "the planned program is invalid"}}};
  return interpret::verifyModules(*one, *many);
}

class PlanReshardSubcommand : public Subcommand {
public:
  PlanReshardSubcommand()
      : Subcommand("plan-reshard", "plans how to reshard a tensor"),
        mesh("mesh", cl::desc("mesh axes and sizes, the last one fastest"),
             cl::value_desc("x=2,y=4"), cl::sub(command)),
        shape("shape", cl::desc("shape of the f32 tensor"), cl::value_desc("64x64"),
              cl::sub(command)),
        from("from", cl::desc("sharding before"), cl::value_desc("[x, _] partial(sum: y)"),
             cl::sub(command)),
        to("to", cl::desc("sharding after"), cl::value_desc("[_, x]"), cl::sub(command)),
        file("pairs", cl::desc("JSON file of pairs of shardings, instead of one pair by flags"),
             cl::value_desc("file"), cl::sub(command)),
        execute("execute",
                cl::desc("run every plan on all ranks in the interpreter, and compare the result "
                         "with the input"),
                cl::sub(command)),
        cluster(command), format(command) {}

  ExitCode run() override {
    Session session;
    std::vector<ReshardPair> pairs;
    if (ExitCode code = readInput(session.context, pairs))
      return code;
    int64_t ranks = 1;
    for (const ReshardPair &pair : pairs)
      ranks = std::max(ranks, pair.mesh.getNumRanks());
    std::optional<abi::Cluster> machine;
    if (ExitCode code = cluster.read(ranks, machine))
      return code;
    std::vector<PlannedPair> planned;
    for (const ReshardPair &pair : pairs)
      planned.push_back(plan(pair, machine, session.context));
    format.isJson() ? printJson(toJson(planned)) : print(pairs, planned);
    bool isRight =
        llvm::all_of(planned, [](const PlannedPair &p) { return p.equal.value_or(true); });
    return isRight ? Success : Mismatch;
  }

private:
  ExitCode readInput(mlir::MLIRContext &context, std::vector<ReshardPair> &pairs) {
    bool hasFile = file.getNumOccurrences();
    for (const cl::opt<std::string> *flag : {&mesh, &shape, &from, &to})
      if (hasFile == (flag->getNumOccurrences() > 0))
        return fail(BadUsage, "expected '--mesh', '--shape', '--from' and '--to', or '--pairs'");
    if (hasFile)
      return readPairs(file, context, pairs);
    return readPair({mesh, shape, from, to}, context, pairs.emplace_back());
  }

  /// Plans one pair for the least time on `machine`. Without one, plans for the fewest elements
  /// that a rank receives, and reports the time on the cores of one computer.
  PlannedPair plan(const ReshardPair &pair, const std::optional<abi::Cluster> &machine,
                   mlir::MLIRContext &context) {
    PlannedPair result;
    const abi::Cluster *planningCluster = machine ? &*machine : nullptr;
    analysis::ReshardPlanCache planCache(pair.mesh, planningCluster);
    result.plan = planCache.plan(pair.from, pair.to, pair.shape, bytesPerElement);
    std::string cores = std::to_string(pair.mesh.getNumRanks()) + "xcpu";
    abi::Cluster timed = machine ? *machine : *machine::parseForm(cores);
    analysis::ReshardCostModel cost(timed, planCache.getMesh(), bytesPerElement);
    for (const analysis::ReshardStep &step : result.plan.steps) {
      result.costs.push_back(cost.explain(step));
      result.seconds += result.costs.back().seconds;
    }
    if (execute) {
      interpret::Report report = runReshard(pair, planningCluster, context);
      result.equal = report.passed();
      for (const interpret::Case &test : report.cases)
        if (test.status == interpret::CaseStatus::Failed)
          result.difference = test.reason;
    }
    return result;
  }

  static json::Value toJson(llvm::ArrayRef<PlannedPair> planned) {
    json::Array rows;
    for (const PlannedPair &pair : planned) {
      json::Array steps;
      for (const auto &[step, cost] : llvm::zip_equal(pair.plan.steps, pair.costs))
        steps.push_back(json::Object{{"step", step.str()},
                                     {"kind", analysis::stringify(step.kind)},
                                     {"to", step.to.str()},
                                     {"bytes", step.elements * bytesPerElement},
                                     {"seconds", cost.seconds},
                                     {"algorithm", cost.algorithm()}});
      json::Object row{
          {"bytes", pair.getBytes()}, {"seconds", pair.seconds}, {"steps", std::move(steps)}};
      if (pair.equal)
        row["equal"] = *pair.equal;
      rows.push_back(std::move(row));
    }
    return rows;
  }

  static void print(llvm::ArrayRef<ReshardPair> pairs, llvm::ArrayRef<PlannedPair> planned) {
    for (const auto &[pair, result] : llvm::zip_equal(pairs, planned)) {
      llvm::outs() << llvm::formatv("{0} of {1} on {2} to {3}: {4} bytes, {5:f2} us",
                                    pair.from.str(), typeText(pair.shape), pair.mesh.str(),
                                    pair.to.str(), result.getBytes(), result.seconds * 1e6);
      if (result.equal)
        llvm::outs() << (*result.equal ? ", equal" : ", DIFFERENT: " + result.difference);
      llvm::outs() << "\n";
      for (const auto &[step, cost] : llvm::zip_equal(result.plan.steps, result.costs))
        llvm::outs() << llvm::formatv("  {0} to {1}: {2} bytes, {3:f2} us{4}{5}\n", step.str(),
                                      step.to.str(), step.elements * bytesPerElement,
                                      cost.seconds * 1e6, cost.algorithms.empty() ? "" : ", ",
                                      cost.algorithm());
    }
    if (pairs.size() > 1)
      printSums(pairs, planned);
    llvm::outs().flush();
  }

  /// Prints `110 pairs: 387072 bytes, 1.000 times the lower bound; 0 above XLA (total 517632);
  /// 110 equal`. Bounds and XLA's bytes are those of the file of pairs; they are compared only if
  /// it has them for all pairs.
  static void printSums(llvm::ArrayRef<ReshardPair> pairs, llvm::ArrayRef<PlannedPair> planned) {
    int64_t bytes = 0, bound = 0, xla = 0, above = 0, equal = 0;
    bool hasBounds = llvm::all_of(pairs, [](const ReshardPair &pair) { return pair.bound; });
    bool hasXla = llvm::all_of(pairs, [](const ReshardPair &pair) { return pair.xla; });
    for (const auto &[pair, result] : llvm::zip_equal(pairs, planned)) {
      bytes += result.getBytes();
      bound += pair.bound.value_or(0);
      xla += pair.xla.value_or(0);
      above += pair.xla && result.getBytes() > *pair.xla;
      equal += result.equal.value_or(false);
    }
    llvm::outs() << llvm::formatv("{0} pairs: {1} bytes", pairs.size(), bytes);
    if (hasBounds && bound > 0)
      llvm::outs() << llvm::formatv(", {0:f3} times the lower bound",
                                    static_cast<double>(bytes) / static_cast<double>(bound));
    if (hasXla)
      llvm::outs() << llvm::formatv("; {0} above XLA (total {1})", above, xla);
    if (planned.front().equal)
      llvm::outs() << llvm::formatv("; {0} equal", equal);
    llvm::outs() << "\n";
  }

  cl::opt<std::string> mesh, shape, from, to, file;
  cl::opt<bool> execute;
  ClusterFlag cluster;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makePlanReshardSubcommand() {
  return std::make_unique<PlanReshardSubcommand>();
}
