// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the shardings that a model's file gives to the tensors of its nodes (FileNodes.h) into
// entries of `dist.constraints`, each for one op. A file has one sharding for a node, and a plan
// may split an op in one way to train and in another to evaluate. So the shardings hold for the
// training step, if there is one. Assumes that no pass changes an op before the strategy is chosen,
// so that names and numbers identify ops. Removes `dist.file_nodes`, or only its shardings if the
// attribute is to be kept.
//
// The shardings of the operands determine how an op's factors are split. Those of the results may
// split more factors. If they contradict the operands, they are the shardings in which the users of
// the results see them: ONNX leaves the communication in between to the compiler.
#include "dialects/dist/Placement.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/names/FileTensorUses.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/propagate/FactorAxes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace pcc;
using pcc::analysis::FileNodes;
using pcc::analysis::FileTensorUse;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYAPPLYFILESHARDINGS
#include "passes/strategy/Passes.h.inc"

namespace {

/// Shardings of one op's operands and results, as far as the file gives them.
struct GivenSides {
  std::vector<std::optional<Sharding>> operands, results;
  int64_t node = 0; ///< the first node that gives one

  explicit GivenSides(Operation *op)
      : operands(op->getNumOperands()), results(op->getNumResults()) {}
};

std::string toText(ArrayRef<Sharding> shardings) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shardings, os, [&](const Sharding &sharding) { sharding.print(os); });
  return text;
}

class Applier {
public:
  Applier(ModuleOp module, const FileNodes &file) : module(module), file(file) {}

  LogicalResult run() {
    if (failed(chooseMesh()))
      return failure();
    for (auto [index, given] : llvm::enumerate(file.shardings))
      shardingOf[{given.node, given.tensor}] = index;
    if (func::FuncOp function = analysis::findPlannedFunction(module))
      if (failed(applyTo(function)))
        return failure();
    Builder b(module.getContext());
    SmallVector<Attribute> all;
    if (auto old = module->getAttrOfType<ArrayAttr>(dist::constraintsAttrName))
      all.assign(old.begin(), old.end());
    llvm::append_range(all, constraints);
    if (!all.empty())
      module->setAttr(dist::constraintsAttrName, b.getArrayAttr(all));
    report();
    return success();
  }

private:
  /// Sets the mesh of the file, or expresses the shardings on the mesh that the module has.
  LogicalResult chooseMesh() {
    if (!module->hasAttr(dist::meshAttrName)) {
      mesh = file.mesh;
      module->setAttr(dist::meshAttrName, dist::MeshAttr::get(module.getContext(), mesh));
    }
    mesh = dist::getMesh(module);
    for (const analysis::FileSharding &given : file.shardings) {
      std::optional<Sharding> own = given.sharding;
      if (!(mesh == file.mesh))
        own = dist::findSharding(dist::getPlacement(given.sharding, file.mesh), mesh);
      if (!own)
        return module.emitError() << describe(given.node) << ": the sharding "
                                  << given.sharding.str() << " of '" << given.tensor
                                  << "' on the mesh \"" << file.mesh.str()
                                  << "\" of the file cannot be expressed on the program's mesh \""
                                  << mesh.str() << "\"";
      shardings.push_back(std::move(*own));
    }
    return success();
  }

  std::string describe(int64_t node) const { return "node " + std::to_string(node); }

  LogicalResult applyTo(func::FuncOp function) {
    llvm::MapVector<Operation *, GivenSides> given;
    for (const FileTensorUse &use : analysis::findFileTensorUses(function, file)) {
      auto found = shardingOf.find({use.node, use.tensor.str()});
      if (found == shardingOf.end() || !isa<FactorRuleOpInterface>(use.op))
        continue;
      used.insert(found->second);
      auto [entry, isNew] = given.try_emplace(use.op, use.op);
      if (isNew)
        entry->second.node = use.node;
      auto &side = use.isResult ? entry->second.results : entry->second.operands;
      side[use.index] = use.toValue(shardings[found->second]);
    }
    names.clear();
    analysis::forEachNumbered(function, [&](Operation *op, StringRef name, unsigned number) {
      names[op] = analysis::makeExactName(function.getSymName(), name, number);
    });
    known.clear();
    for (Operation &op : function.getBody().front())
      if (auto sides = given.find(&op); sides != given.end() && !isRepetition(&op, sides->second))
        if (failed(constrain(&op, sides->second)))
          return failure();
    return success();
  }

  /// Returns whether the op is a broadcast inside a node; propagation gives it its user's sharding.
  static bool isRepetition(Operation *op, const GivenSides &given) {
    return isa<graph::BroadcastOp>(op) && !given.results.front();
  }

  /// Adds the constraint of one op. A dimension that no sharding of the op determines is split as
  /// its producer leaves it, or not split.
  LogicalResult constrain(Operation *op, const GivenSides &given) {
    FactorAxes factors(op, mesh);
    for (auto [index, sharding] : llvm::enumerate(given.operands))
      if (sharding)
        factors.takeOperand(index, *sharding);
    for (auto [index, sharding] : llvm::enumerate(given.results))
      if (sharding)
        factors.takeResult(index, *sharding);
    if (leavesOpen(op, factors, given) && constrainTensors(op, given))
      return success();
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (auto made = known.find(operand); made != known.end() && !given.operands[index])
        factors.takeOperand(index, made->second);
    factors.settle();
    std::vector<Sharding> in, out, seen;
    for (auto [index, sharding] : llvm::enumerate(given.operands)) {
      in.push_back(factors.project(factors.getRule().getOperands()[index]));
      if (sharding && *sharding != in.back())
        return op->emitError() << "sharding of input " << index << " of \"" << analysis::getName(op)
                               << "\" in device configuration '" << file.configuration
                               << "': expected one that '" << op->getName()
                               << "' can obey together with its other inputs, such as "
                               << in.back().str() << ", got " << sharding->str();
    }
    for (auto [index, sharding] : llvm::enumerate(given.results)) {
      out.push_back(factors.project(factors.getRule().getResults()[index]));
      seen.push_back(sharding.value_or(out.back()));
      known[op->getResult(index)] = seen.back();
    }
    add({{"op_exact", names[op]}, {"in", toText(in)}, {"out", toText(seen)}}, given.node,
        /*isRestored=*/out == seen);
    return success();
  }

  /// Returns whether a factor that may be split is in no tensor with a sharding, and in no operand
  /// whose sharding is known.
  bool leavesOpen(Operation *op, const FactorAxes &factors, const GivenSides &given) {
    const FactorRule &rule = factors.getRule();
    llvm::DenseSet<unsigned> determined;
    auto addFactors = [&](const TensorFactors &dims) {
      for (const DimFactors &dim : dims)
        determined.insert(dim.begin(), dim.end());
    };
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (given.operands[index] || known.contains(operand))
        addFactors(rule.getOperands()[index]);
    for (auto [index, sharding] : llvm::enumerate(given.results))
      if (sharding)
        addFactors(rule.getResults()[index]);
    for (unsigned factor = 0; factor < rule.getFactors().size(); ++factor)
      if (rule.getFactor(factor).size > 1 && factors.maySplit(factor) &&
          !determined.contains(factor))
        return true;
    return false;
  }

  /// If only parameters and inputs of the op have shardings, constrains these instead of the op.
  /// Returns false if other tensors have shardings, too.
  bool constrainTensors(Operation *op, const GivenSides &given) {
    if (llvm::any_of(given.results, [](const auto &sharding) { return sharding.has_value(); }))
      return false;
    SmallVector<std::pair<graph::RoleAttr, const Sharding *>> tensors;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      if (!given.operands[index])
        continue;
      auto argument = dyn_cast<BlockArgument>(operand);
      auto function = op->getParentOfType<func::FuncOp>();
      graph::RoleAttr role =
          argument ? graph::getArgRole(function, argument.getArgNumber()) : graph::RoleAttr();
      if (!role)
        return false;
      tensors.push_back({role, &*given.operands[index]});
    }
    for (auto [role, sharding] : tensors)
      add({{role.getKind() == graph::RoleKind::Parameter ? "parameter" : "input",
            llvm::Regex::escape(graph::getName(role))},
           {"sharding", sharding->str()}},
          given.node, /*isRestored=*/true);
    return true;
  }

  void add(ArrayRef<std::pair<StringRef, std::string>> texts, int64_t node, bool isRestored) {
    Builder b(module.getContext());
    NamedAttrList entry;
    for (const auto &[key, text] : texts)
      if (!text.empty())
        entry.set(key, b.getStringAttr(text));
    entry.set("place", b.getStringAttr(file.file + ":" + describe(node)));
    if (isRestored)
      entry.set("restored", b.getUnitAttr());
    constraints.push_back(entry.getDictionary(module.getContext()));
  }

  /// Tells how many nodes have shardings, and how many shardings no op has.
  void report() {
    llvm::DenseSet<int64_t> nodes;
    for (const analysis::FileSharding &given : file.shardings)
      nodes.insert(given.node);
    auto remark = module.emitRemark() << "device configuration '" << file.configuration
                                      << "' shards tensors of " << nodes.size() << " nodes over "
                                      << file.mesh.getNumRanks() * file.stages << " devices";
    if (size_t rest = shardings.size() - used.size())
      remark << "; " << rest << " of " << shardings.size()
             << " shardings are of tensors that the program does not have";
  }

  ModuleOp module;
  const FileNodes &file;
  Mesh mesh;
  std::vector<Sharding> shardings; ///< on `mesh`, by sharding of the file
  std::map<std::pair<int64_t, std::string>, size_t> shardingOf;
  llvm::DenseSet<size_t> used;
  llvm::DenseMap<Operation *, std::string> names; ///< exact ones, of the function
  llvm::DenseMap<Value, Sharding> known;          ///< results of constrained ops of the function
  SmallVector<Attribute> constraints;
};

struct ApplyFileShardings : impl::StrategyApplyFileShardingsBase<ApplyFileShardings> {
  using StrategyApplyFileShardingsBase::StrategyApplyFileShardingsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<FileNodes> file = FileNodes::read(module);
    if (!file)
      return;
    if (!file->configuration.empty() && failed(apply(*file)))
      signalPassFailure();
    module->removeAttr(analysis::fileNodesAttrName);
    file->configuration.clear();
    if (file->isKept)
      file->write(module);
  }

  LogicalResult apply(const FileNodes &file) {
    ModuleOp module = getOperation();
    if (!mode.empty()) { // set only for modes that ignore the shardings
      module.emitRemark() << "device configuration '" << file.configuration
                          << "' shards tensors of nodes; shardings are obeyed in parallel modes "
                             "semi_auto_parallel and auto_parallel, got mode "
                          << mode.getValue();
      return success();
    }
    int64_t numRanks = deviceNum, numStages = stages;
    if (numStages != file.stages && file.stages > 1)
      return module.emitError() << "device configuration '" << file.configuration
                                << "' has pipeline stages: expected '--pipeline-stages="
                                << file.stages << "', got " << numStages;
    int64_t devices = file.mesh.getNumRanks() * file.stages;
    if (numRanks != devices || numStages != file.stages)
      return module.emitError() << "device configuration '" << file.configuration
                                << "' shards tensors over " << devices << " devices in "
                                << file.stages << " pipeline stage" << (file.stages > 1 ? "s" : "")
                                << ": expected '--device-num=" << devices << "', got " << numRanks
                                << " in " << numStages
                                << "; '--device-config=none' ignores the configuration";
    return Applier(module, file).run();
  }
};

} // namespace
} // namespace pcc::strategy
