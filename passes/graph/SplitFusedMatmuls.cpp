// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitFusedMatmuls: splits a matmul whose columns are then split into parts, such as query, key
// and value, or gate and up. Each part gets a matmul, a weight and a bias of its own. Each
// parameter may then be split over ranks by itself, and no rank needs columns of another part.
//
//   %p = matmul %x, %w    %q, %k, %v = split %p       becomes
//   %q = matmul %x, %wq   %k = matmul %x, %wk   %v = matmul %x, %wv
//
// The parameters are called NAME[q], NAME[k], NAME[v] if the parts enter an attention as its
// operands query, key and value, else NAME[0], NAME[1], and so on. The ops are named likewise.
// `graph.part` says which part of NAME each parameter is, so that files keep NAME whole. Assumes
// canonical form with attention raised. Repeats the reshapes and transposes between matmul and cut
// for each part. FusedMatmul.h says what a cut is, and which matmuls qualify.
#include "dialects/graph/OptimizerState.h"
#include "dialects/graph/ParameterPart.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/graph/FusedMatmul.h"
#include "passes/graph/Match.h"
#include "passes/graph/Passes.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHSPLITFUSEDMATMULS
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

/// Adds the numbers of the attention operands, 0 to 2, that `value` becomes by arithmetic and
/// movement.
static void findAttentionOperands(Value value, llvm::SmallSetVector<unsigned, 3> &found) {
  llvm::SetVector<Value> work;
  work.insert(value);
  for (size_t next = 0; next < work.size(); ++next)
    for (OpOperand &use : work[next].getUses()) {
      Operation *user = use.getOwner();
      if (isa<AttentionOp>(user)) {
        if (use.getOperandNumber() < 3)
          found.insert(use.getOperandNumber());
      } else if (isa<ReshapeOp, TransposeOp, BroadcastOp, RotaryEmbeddingOp, RmsNormOp, LayerNormOp,
                     MulOp, AddOp, SubOp, NegOp, DivOp, ConcatOp, SliceOp, SplitOp, CastOp>(user)) {
        work.insert(user->result_begin(), user->result_end());
      }
    }
}

/// Names the parts: by the operands of an attention that they become, or else by number.
static SmallVector<std::string> nameParts(const FusedMatmul &fused) {
  SmallVector<std::string> names;
  for (const ColumnRange &part : fused.parts) {
    llvm::SmallSetVector<unsigned, 3> operands;
    for (const ColumnCut &cut : fused.cuts)
      if (cut.range == part)
        findAttentionOperands(cut.value, operands);
    std::string name = operands.size() == 1 ? std::string(1, "qkv"[operands[0]]) : "";
    if (name.empty() || llvm::is_contained(names, name)) {
      names.clear();
      for (size_t number = 0; number < fused.parts.size(); ++number)
        names.push_back(std::to_string(number));
      return names;
    }
    names.push_back(name);
  }
  return names;
}

/// Returns `loc` with the additional name `NAME[part]`. The name of the whole remains, for
/// constraints.
static Location nameAfter(Location loc, StringRef part) {
  StringRef name = pcc::analysis::getName(loc);
  if (name.empty())
    return loc;
  auto own = StringAttr::get(loc.getContext(), makePartName(name, part));
  return FusedLoc::get(loc.getContext(), {NameLoc::get(own, loc), loc});
}

/// Returns the initial value of a part of a parameter with the initial value `value`.
static ElementsAttr cutValue(ElementsAttr value, const ParameterPart &part, RankedTensorType type,
                             StringRef name) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat())
      return dense.resizeSplat(type);
    return DenseElementsAttr::getFromRawBuffer(type, cutParameterPart(part, dense.getRawData()));
  }
  auto resource = cast<DenseResourceElementsAttr>(value);
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob) // a dump leaves the data out
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  std::vector<char> bytes = cutParameterPart(part, blob->getData());
  return DenseResourceElementsAttr::get(
      type, name, HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, blob->getDataAlignment()));
}

namespace {

/// Splits one fused matmul.
class Splitter {
public:
  Splitter(const FusedMatmul &fused, func::FuncOp function)
      : fused(fused), function(function), module(function->getParentOfType<ModuleOp>()),
        names(nameParts(fused)) {}

  /// Returns whether the weight and the bias are parameters of this function alone, and whether the
  /// names of their parts are free.
  bool canSplit() { return canSplit(fused.weight) && (!fused.bias || canSplit(fused.bias)); }
  void split();

private:
  ParameterOp getParameter(BlockArgument argument);
  bool canSplit(BlockArgument argument);
  SmallVector<Value> splitParameter(BlockArgument argument, int64_t dim);
  Value makeMatmul(size_t part, Value weight);
  Value makeStep(const ColumnStep &step, size_t part, Value input);

  const FusedMatmul &fused;
  func::FuncOp function;
  ModuleOp module;
  SmallVector<std::string> names;
  SmallVector<Value> biases;                              ///< by part
  DenseMap<std::pair<Operation *, size_t>, Value> copies; ///< of steps, by part
};

} // namespace

ParameterOp Splitter::getParameter(BlockArgument argument) {
  RoleAttr role = getArgRole(function, argument.getArgNumber());
  if (!role || role.getKind() != RoleKind::Parameter)
    return {};
  return module.lookupSymbol<ParameterOp>(role.getName());
}

/// A layerwise_parallel parameter stays whole, since each rank has a slice of its own: no sharding
/// splits it. A state keeps the shape of its parameter. A part of another parameter stays, since
/// parts do not nest.
bool Splitter::canSplit(BlockArgument argument) {
  ParameterOp parameter = getParameter(argument);
  if (!parameter || parameter.getLayerwiseParallel() || parameter->hasAttr(partAttrName) ||
      parameter->hasAttr(stateOfName))
    return false;
  StringRef name = parameter.getSymName();
  // Arguments and results of all functions that are this parameter. Others than `argument` would
  // still read or return the whole.
  int64_t mentions = 0;
  for (auto other : module.getOps<func::FuncOp>()) {
    for (unsigned index = 0; index < other.getNumArguments(); ++index)
      mentions += pcc::graph::getName(getArgRole(other, index)) == name;
    for (unsigned index = 0; index < other.getNumResults(); ++index)
      mentions += pcc::graph::getName(getResultRole(other, index)) == name;
  }
  return mentions == 1 && llvm::none_of(names, [&](StringRef part) {
           return module.lookupSymbol(makePartName(name, part));
         });
}

/// Declares the parts of the parameter of `argument`, whose columns are its dimension `dim`;
/// returns their arguments. The argument itself stays, without a reader.
SmallVector<Value> Splitter::splitParameter(BlockArgument argument, int64_t dim) {
  ParameterOp whole = getParameter(argument);
  RankedTensorType type = whole.getTensorType();
  int64_t inner = llvm::product_of(type.getShape().drop_front(dim + 1));
  OpBuilder builder(whole);
  SmallVector<Value> parts;
  for (auto [range, label] : llvm::zip_equal(fused.parts, names)) {
    std::string name = makePartName(whole.getSymName(), label);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = shape[dim] / fused.period * (range.end - range.begin);
    ParameterPart part{whole.getSymName(), SmallVector<int64_t>(type.getShape()),
                       fused.period * inner, range.begin * inner};
    part.run = (range.end - range.begin) * inner;
    auto declaration = cast<ParameterOp>(builder.clone(*whole));
    declaration.setSymName(name);
    declaration.setType(type.clone(shape));
    declaration->setLoc(nameAfter(whole.getLoc(), label));
    setParameterPart(declaration, part);
    if (ElementsAttr value = whole.getValueAttr())
      declaration.setValueAttr(cutValue(value, part, type.clone(shape), name));
    unsigned index = argument.getArgNumber();
    DictionaryAttr attributes = function.getArgAttrDict(index);
    (void)function.insertArgument(index, type.clone(shape), attributes,
                                  nameAfter(argument.getLoc(), label));
    setArgRole(function, index, makeRole(whole.getContext(), RoleKind::Parameter, name));
    parts.push_back(function.getArgument(index));
  }
  return parts;
}

/// Makes the matmul of the columns of one part.
Value Splitter::makeMatmul(size_t part, Value weight) {
  OpBuilder builder(fused.matmul);
  IRMapping mapping;
  mapping.map(Value(fused.weight), weight);
  Operation *copy = builder.clone(*fused.matmul, mapping);
  auto type = typeOf(fused.matmul->getResult(0));
  int64_t last = type.getRank() - 1;
  copy->getResult(0).setType(
      type.clone(*narrowColumns(fused, type.getShape(), {last}, fused.parts[part])));
  copy->setLoc(nameAfter(copy->getLoc(), names[part]));
  return copy->getResult(0);
}

/// Makes the same step for the columns of one part; an added bias becomes its part of the bias.
Value Splitter::makeStep(const ColumnStep &step, size_t part, Value input) {
  Value &copy = copies[{step.op, part}];
  if (copy)
    return copy;
  OpBuilder builder(step.op);
  auto type = typeOf(step.op->getResult(0));
  type = type.clone(*narrowColumns(fused, type.getShape(), step.dims, fused.parts[part]));
  Location loc = nameAfter(step.op->getLoc(), names[part]);
  if (isa<AddOp>(step.op)) {
    Value bias = BroadcastOp::create(builder, loc, type, biases[part], step.dims);
    return copy = AddOp::create(builder, loc, input, bias);
  }
  IRMapping mapping;
  mapping.map(step.op->getOperand(0), input);
  Operation *moved = builder.clone(*step.op, mapping);
  moved->getResult(0).setType(type);
  moved->setLoc(loc);
  return copy = moved->getResult(0);
}

void Splitter::split() {
  SmallVector<Value> weights = splitParameter(fused.weight, fused.weightDim), matmuls;
  if (fused.bias)
    biases = splitParameter(fused.bias, 0);
  for (auto [part, weight] : llvm::enumerate(weights))
    matmuls.push_back(makeMatmul(part, weight));
  for (const ColumnCut &cut : fused.cuts) {
    size_t part = llvm::find(fused.parts, cut.range) - fused.parts.begin();
    Value value = matmuls[part];
    for (const ColumnStep &step : cut.path)
      value = makeStep(step, part, value);
    Value(cut.value).replaceAllUsesWith(value);
  }
}

/// Erases the ops whose results are not read any more, from the cuts back to the matmul. Also
/// erases the whole parameters.
static void eraseFused(const FusedMatmul &fused, func::FuncOp function) {
  llvm::SetVector<Operation *> dead;
  for (const ColumnCut &cut : fused.cuts)
    dead.insert(cut.value.getDefiningOp());
  for (size_t next = 0; next < dead.size(); ++next)
    for (Value operand : dead[next]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && dead[next] != fused.matmul)
        dead.insert(op);
  SmallVector<Operation *> ordered = dead.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : ordered)
    if (isOpTriviallyDead(op))
      op->erase();
  for (BlockArgument argument : {fused.weight, fused.bias})
    if (argument) {
      StringRef name = pcc::graph::getName(getArgRole(function, argument.getArgNumber()));
      SymbolTable::lookupSymbolIn(function->getParentOp(), name)->erase();
      (void)function.eraseArgument(argument.getArgNumber());
    }
}

namespace {
struct SplitFusedMatmuls : public pcc::graph::impl::GraphSplitFusedMatmulsBase<SplitFusedMatmuls> {
  void runOnOperation() override {
    SmallVector<Operation *> matmuls;
    getOperation().walk([&](Operation *op) {
      if (isa<MatmulOp, EinsumOp>(op))
        matmuls.push_back(op);
    });
    for (Operation *matmul : matmuls) {
      auto function = dyn_cast<func::FuncOp>(matmul->getParentOp());
      std::optional<FusedMatmul> fused = findFusedMatmul(matmul);
      if (!function || !fused)
        continue;
      Splitter splitter(*fused, function);
      if (splitter.canSplit()) {
        splitter.split();
        eraseFused(*fused, function);
      }
    }
  }
};
} // namespace
