// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns where ranks along an axis of the mesh repeat each other's work: no operand or result of an
// op is cut along the axis, or partial over it. Counts the FLOPs of the section that trains, or of
// the forward pass of a model that is not trained. One warning for each axis stands at the op that
// repeats most. Assumes a sharding on each op; changes nothing.
#include "dialects/graph/Roles.h"
#include "passes/analysis/StageSections.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYREPORTREPEATED
#include "passes/strategy/Passes.h.inc"

namespace {

/// Minimum share of a rank's FLOPs that must be repeated for a warning. Norms and activations that
/// tensor parallelism repeats take less in models of usual size.
constexpr double minShare = 0.1;

/// Work that ranks along one axis repeat.
struct RepeatedWork {
  double flops = 0;    ///< of all such ops, on one rank
  double maxFlops = 0; ///< of `maxOp`
  int64_t ops = 0;     ///< number of such ops with FLOPs
  Operation *maxOp = nullptr;
};

/// Returns the axes that cut or add up an operand or a result of `op`, and multiplies `blocks` by
/// the sizes of those that cut.
std::set<std::string> findAxes(Operation *op, const dist::Mesh &mesh, double &blocks) {
  std::set<std::string> axes, cut;
  auto add = [&](Value value, const dist::Sharding &sharding) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    for (const std::string &axis : sharding.getSplitAxes())
      cut.insert(axis);
    axes.insert(sharding.getPartialAxes().begin(), sharding.getPartialAxes().end());
  };
  for (OpOperand &operand : op->getOpOperands())
    add(operand.get(), analysis::getOperandSharding(op, operand.getOperandNumber()));
  for (Value result : op->getResults())
    add(result, analysis::getSharding(result));
  for (const std::string &axis : cut)
    blocks *= double(mesh.getSize(StringRef(axis)));
  axes.merge(cut);
  return axes;
}

struct ReportRepeated : impl::StrategyReportRepeatedBase<ReportRepeated> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    auto section = module.lookupSymbol<func::FuncOp>(analysis::forwardBackwardName);
    if (!section)
      section = module.lookupSymbol<func::FuncOp>("forward");
    if (section && !section.isDeclaration())
      report(section);
  }

  static void report(func::FuncOp section) {
    dist::Mesh mesh = dist::getMesh(section->getParentOfType<ModuleOp>());
    std::vector<RepeatedWork> repeated(mesh.getAxes().size());
    double total = 0;
    for (Operation &op : section.getBody().front().without_terminator()) {
      double blocks = 1;
      std::set<std::string> used = findAxes(&op, mesh, blocks);
      double flops = double(analysis::costOf(&op).flops) / blocks;
      total += flops;
      for (auto [index, axis] : llvm::enumerate(mesh.getAxes())) {
        if (flops == 0 || axis.size == 1 || used.contains(axis.name))
          continue;
        RepeatedWork &work = repeated[index];
        work.flops += flops;
        ++work.ops;
        if (flops > work.maxFlops) {
          work.maxFlops = flops;
          work.maxOp = &op;
        }
      }
    }
    for (auto [axis, work] : llvm::zip_equal(mesh.getAxes(), repeated))
      if (work.maxOp && work.flops >= minShare * total)
        warn(axis, work, total);
  }

  static void warn(const dist::MeshAxis &axis, const RepeatedWork &work, double total) {
    StringRef name = analysis::getName(work.maxOp);
    std::string module = name.contains('/') ? name.rsplit('/').first.str() : "";
    InFlightDiagnostic warning = work.maxOp->emitWarning();
    warning << llvm::formatv("all {0} ranks along '{1}' repeat {2:f1} % of a rank's FLOPs, in {3} "
                             "ops; most of them, {4:f1} %, in '{5}'",
                             axis.size, axis.name, 100 * work.flops / total, work.ops,
                             100 * work.maxFlops / total, name)
                   .str();
    if (!module.empty())
      warning << " of module '" << module << "'";
    if (std::string place = analysis::findSourceLocation(work.maxOp->getLoc()); !place.empty())
      warning << " (" << place << ")";
    warning << "; split a tensor of it along '" << axis.name
            << "', or use the ranks of this axis for another one";
  }
};

} // namespace
} // namespace pcc::strategy
