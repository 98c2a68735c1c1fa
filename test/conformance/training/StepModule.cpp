// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/dist/Group.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Sections.h"
#include "test/conformance/training/Manual.h"
#include "test/conformance/training/Step.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using pcc::graph::RoleKind;

namespace pcc::conformance {
namespace {

Shape shapeOf(Type type) { return cast<RankedTensorType>(type).getShape().vec(); }

std::string elementOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << cast<RankedTensorType>(type).getElementType();
  return text;
}

/// Returns true for an op that converts the type of a parameter or gradient, or takes a part of it.
bool isPartOf(Operation *op) { return isa<graph::CastOp, graph::DynamicSliceOp>(op); }

/// Returns true for such ops and for a scaling by a constant.
bool passesOn(Operation *op) {
  if (isPartOf(op))
    return true;
  return isa<graph::MulOp>(op) && op->getOperand(1).getDefiningOp<graph::ConstantOp>();
}

/// Reads one module.
class Reader {
public:
  Reader(ModuleOp module, const StepOptions &options)
      : update(module.lookupSymbol<func::FuncOp>("update")), mesh(dist::getMesh(module)),
        rank(options.rank % mesh.getNumRanks()), firstRank(options.rank - rank),
        slots(options.slots) {
    for (analysis::Section &section : analysis::collectSections(module))
      if (section.runs > 0 && section.function != update)
        sections.push_back(section.function);
  }

  Step read(const std::map<std::string, double> &factors) {
    Step step;
    for (unsigned index : graph::findArgs(update, RoleKind::Gradient)) {
      StringRef name = graph::getName(graph::getArgRole(update, index));
      Share &share = step[name.str()];
      auto factor = factors.find(name.str());
      share.factor = factor == factors.end() ? 1 : factor->second;
      readParameter(name, share);
      readGradient(name, update.getArgument(index), share);
    }
    return step;
  }

private:
  void readParameter(StringRef name, Share &share) {
    for (func::FuncOp function : sections)
      readArgument(function, name, share);
    readArgument(update, name, share);
    followBack(resultOf(update, RoleKind::Parameter, name), share);
    for (unsigned index : graph::findArgs(update, RoleKind::Parameter)) {
      StringRef state = graph::getName(graph::getArgRole(update, index));
      bool isItsOwn = state.consume_front(name) && state.consume_front(".");
      Shape shape = shapeOf(update.getArgument(index).getType());
      if (isItsOwn && !graph::findArg(update, RoleKind::Gradient, (name + "." + state).str()))
        share.states.push_back(shape);
    }
  }

  void readArgument(func::FuncOp function, StringRef name, Share &share) {
    std::optional<unsigned> index = graph::findArg(function, RoleKind::Parameter, name);
    if (!index)
      return;
    share.slice = shapeOf(function.getArgument(*index).getType());
    followTo(function.getArgument(*index), share);
  }

  void readGradient(StringRef name, Value reduced, Share &share) {
    followTo(reduced, share);
    auto gives = [&](func::FuncOp function) {
      return graph::findResult(function, RoleKind::Gradient, name).has_value();
    };
    func::FuncOp backward = *llvm::find_if(sections, gives);
    Value local = resultOf(backward, RoleKind::Gradient, name);
    followBack(local, share);
    if (slots == 1)
      return;
    share.accumulator = shapeOf(local.getType());
    unsigned index = *graph::findResult(backward, RoleKind::Gradient, name);
    if (auto sum =
            backward.getResultAttrOfType<pipe::AccumulateAttr>(index, pipe::accumulateAttrName))
      share.factor *= sum.getScale();
  }

  static Value resultOf(func::FuncOp function, RoleKind kind, StringRef name) {
    return function.getBody().front().getTerminator()->getOperand(
        *graph::findResult(function, kind, name));
  }

  /// Adds the op to the transfers if it is a collective.
  bool record(Operation *op, Share &share) const {
    StringRef kind = nameOf(op).first;
    if (kind.empty())
      return false;
    Type input = op->getOperand(0).getType();
    dist::GroupAttr group = cast<dist::CollectiveOpInterface>(op).getGroupAttr();
    dist::RankList ranks = dist::getGroupMembers(group, mesh, rank);
    llvm::sort(ranks);
    for (int64_t &member : ranks)
      member += firstRank;
    share.transfers.insert(
        {kind.str(), {ranks.begin(), ranks.end()}, shapeOf(input), elementOf(input)});
    return true;
  }

  void followTo(Value value, Share &share) const {
    for (Operation *user : value.getUsers())
      if (record(user, share) || isPartOf(user))
        followTo(user->getResult(0), share);
  }

  void followBack(Value value, Share &share) const {
    for (Operation *op = value.getDefiningOp(); op && (record(op, share) || passesOn(op));)
      op = op->getOperand(0).getDefiningOp();
  }

  func::FuncOp update;
  SmallVector<func::FuncOp> sections; ///< all but the update
  dist::Mesh mesh;
  int64_t rank, firstRank; ///< the position in the stage; the stage's first rank
  int64_t slots;
};

} // namespace

Step readStepModule(ModuleOp module, const std::map<std::string, double> &factors,
                    const StepOptions &options) {
  return Reader(module, options).read(factors);
}

std::map<std::string, double> readGradientFactors(ModuleOp module) {
  std::map<std::string, double> factors;
  auto function = module.lookupSymbol<func::FuncOp>("forward_backward");
  for (unsigned index : graph::findResults(function, RoleKind::Gradient))
    if (auto factor = function.getResultAttrOfType<FloatAttr>(index, dist::gradientFactorAttrName))
      factors[graph::getName(graph::getResultRole(function, index)).str()] =
          factor.getValueAsDouble();
  return factors;
}

} // namespace pcc::conformance
