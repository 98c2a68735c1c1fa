// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits axes of the mesh in two, so that the ranks along the inner one divide parameters that the
// ranks along the whole axis do not divide.
//
//   a parameter of 8192x8192, whole on a mesh dp=48       the optimizer cannot cut it
//   after, on a mesh dp0=3, dp1=16                        dp1 cuts it 16 ways
//
// Every sharding over the axis is then one over both, so the program stays the same. Neighboring
// ranks differ along the inner axis. The factor that leaves a rank the fewest bytes is chosen.
#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Reasons.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/constraints/MeshRefinement.h"
#include <set>

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYSPLITAXES
#include "passes/strategy/Passes.h.inc"

namespace {

/// A parameter whose optimizer may be sharded: its block on a rank.
struct HeldBlock {
  Sharding held;
  SmallVector<int64_t, 4> shape;
  int64_t bytes = 0;

  /// Returns into how many parts ranks along some of the axes of these sizes divide a dimension, at
  /// most.
  int64_t findWays(ArrayRef<int64_t> sizes) const {
    std::set<int64_t> products = {1};
    for (int64_t size : sizes)
      for (int64_t product : std::set<int64_t>(products))
        products.insert(product * size);
    return *std::find_if(products.rbegin(), products.rend(), [&](int64_t ranks) {
      return ranks == 1 || llvm::any_of(shape, [&](int64_t size) { return size % ranks == 0; });
    });
  }
};

class AxisSplitter {
public:
  AxisSplitter(ModuleOp module, int64_t threshold)
      : module(module), mesh(dist::getMesh(module)), threshold(threshold) {}

  void run() {
    collectBlocks();
    SmallVector<std::string> open; // the pieces of a split axis may be split again
    for (const dist::MeshAxis &axis : llvm::reverse(mesh.getAxes()))
      open.push_back(axis.name);
    while (!open.empty()) {
      dist::MeshAxis axis{open.pop_back_val(), 0};
      axis.size = mesh.getSize(StringRef(axis.name));
      if (std::optional<int64_t> inner = findInner(axis))
        llvm::append_range(open, split(axis, *inner));
    }
  }

private:
  void collectBlocks();
  double bytesLeft(StringRef axis, ArrayRef<int64_t> pieces) const;
  std::optional<int64_t> findInner(const dist::MeshAxis &axis) const;
  AxisList split(const dist::MeshAxis &axis, int64_t inner);
  void renameReasons(StringRef axis, ArrayRef<std::string> pieces);

  ModuleOp module;
  dist::Mesh mesh;
  int64_t threshold;
  std::vector<HeldBlock> blocks;
};

} // namespace

/// Collects the parameters whose gradients a function takes, as strategy-shard-optimizer does.
void AxisSplitter::collectBlocks() {
  SymbolTable symbols(module);
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || function->hasAttr(dist::localAttrName))
      continue;
    for (unsigned index : graph::findArgs(function, graph::RoleKind::Gradient)) {
      StringRef name = graph::getName(graph::getArgRole(function, index));
      auto parameter = symbols.lookup<graph::ParameterOp>(name);
      auto held = graph::findArg(function, graph::RoleKind::Parameter, name);
      if (!parameter || !held || !parameter.getParallelOptimizer() ||
          parameter.getLayerwiseParallel() ||
          function.getArgumentTypes()[*held] != parameter.getTensorType())
        continue;
      HeldBlock block{analysis::getSharding(function.getArgument(*held)), {}, 0};
      block.shape = block.held.getLocalShape(parameter.getTensorType().getShape(), mesh);
      block.bytes = analysis::getNumBytes(
          analysis::getLocalType(parameter.getTensorType(), block.held, mesh));
      if (block.bytes >= threshold)
        blocks.push_back(std::move(block));
    }
  }
}

/// Returns the bytes that a rank keeps of all blocks. Each is cut over the axes along which it is
/// whole, with pieces of these sizes in place of `axis`.
double AxisSplitter::bytesLeft(StringRef axis, ArrayRef<int64_t> pieces) const {
  double bytes = 0;
  for (const HeldBlock &block : blocks) {
    SmallVector<int64_t> sizes;
    for (const dist::MeshAxis &other : mesh.getAxes())
      if (other.name == axis && !block.held.uses(axis))
        llvm::append_range(sizes, pieces);
      else if (!block.held.uses(other.name))
        sizes.push_back(other.size);
    bytes += double(block.bytes) / double(block.findWays(sizes));
  }
  return bytes;
}

/// Returns the ranks along the inner part of an axis, if splitting it saves a hundredth of the
/// bytes. Of equal splits, the one whose inner part cuts most is chosen.
std::optional<int64_t> AxisSplitter::findInner(const dist::MeshAxis &axis) const {
  constexpr double worthwhile = 0.99;
  std::pair<double, double> least = {worthwhile * bytesLeft(axis.name, {axis.size}), 0};
  std::optional<int64_t> best;
  for (int64_t inner = axis.size - 1; inner > 1; --inner) {
    if (axis.size % inner != 0)
      continue;
    std::pair<double, double> bytes = {bytesLeft(axis.name, {axis.size / inner, inner}),
                                       bytesLeft(axis.name, {inner})};
    if (bytes < least) {
      least = bytes;
      best = inner;
    }
  }
  return best;
}

/// Returns the names of the two pieces.
AxisList AxisSplitter::split(const dist::MeshAxis &axis, int64_t inner) {
  AxisList pieces = {namePiece(mesh, axis.name, 0), namePiece(mesh, axis.name, 1)};
  SmallVector<dist::MeshAxis> axes;
  for (const dist::MeshAxis &other : mesh.getAxes()) {
    if (other.name != axis.name) {
      axes.push_back(other);
      continue;
    }
    axes.push_back({pieces[0], axis.size / inner});
    axes.push_back({pieces[1], inner});
  }
  mesh = dist::Mesh(axes);
  auto replace = [&](ArrayRef<std::string> list) {
    AxisList replaced;
    for (const std::string &name : list)
      if (name == axis.name)
        replaced.append(pieces);
      else
        replaced.push_back(name);
    return replaced;
  };
  auto replaceAll = [&](const Sharding &sharding) {
    auto dims = llvm::map_to_vector(sharding.getDims(), replace);
    return Sharding(dims, replace(sharding.getPartialAxes()), sharding.getPartialKind());
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](dist::ShardingAttr attribute) {
    return dist::ShardingAttr::get(module.getContext(), replaceAll(attribute.getSharding()));
  });
  replacer.addReplacement(
      [&](dist::MeshAttr) { return dist::MeshAttr::get(module.getContext(), mesh); });
  replacer.addReplacement([&](dist::GroupAttr group) {
    if (group.getAxes().empty())
      return group;
    AxisList axes;
    for (StringAttr name : group.getAxes())
      axes.push_back(name.str());
    return dist::GroupAttr::get(module.getContext(), replace(axes));
  });
  replacer.recursivelyReplaceElementsIn(module);
  for (HeldBlock &block : blocks)
    block.held = replaceAll(block.held);
  renameReasons(axis.name, pieces);
  remark::passed(module.getLoc(), remark::RemarkOpts::name("split-axes").category("strategy"))
      << remark::metric("axis", axis.name) << remark::metric("ranks", axis.size)
      << remark::metric("inner", inner) << remark::metric("mesh", mesh.str());
  return pieces;
}

/// Repeats the reasons for an axis for its pieces.
void AxisSplitter::renameReasons(StringRef axis, ArrayRef<std::string> pieces) {
  module.walk([&](Operation *op) {
    analysis::Reasons::read(op->getLoc()).replaceAxis(axis, pieces).annotate(op);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          analysis::Reasons::ofValue(argument).replaceAxis(axis, pieces).annotate(argument);
  });
}

namespace {
struct SplitAxes : impl::StrategySplitAxesBase<SplitAxes> {
  using StrategySplitAxesBase::StrategySplitAxesBase;

  void runOnOperation() override {
    if (getOperation()->hasAttr(dist::meshAttrName))
      AxisSplitter(getOperation(), threshold).run();
  }
};
} // namespace
} // namespace pcc::strategy
