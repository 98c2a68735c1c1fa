// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads kernels back from the annotations. Recomputed ops belong to no kernel, so readers and
// sources are found through chains of them.
#include "passes/analysis/kernels/Kernels.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::analysis {

std::optional<int64_t> getKernelNumber(Operation *op) {
  if (auto number = op->getAttrOfType<IntegerAttr>(kernelAttrName))
    return number.getInt();
  return std::nullopt;
}

/// Returns true if the reduction combines dimensions of size one only.
static bool reducesNothing(ReduceOp op) {
  ArrayRef<int64_t> shape = cast<ShapedType>(op.getInput().getType()).getShape();
  return llvm::all_of(op.getDims(), [&](int64_t dim) { return shape[dim] == 1; });
}

bool isView(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reducesNothing(reduce);
  return isa<ReshapeOp>(op);
}

static bool isSplat(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Returns whether `op` computes a number from the rank and constants, such as the offset of the
/// rank's block.
static bool isRankArithmetic(Operation *op) {
  if (!op->hasTrait<Elementwise>() || op->getNumOperands() == 0 ||
      !op->getOperand(0).getDefiningOp<dist::RankOp>())
    return false;
  return llvm::all_of(op->getOperands().drop_front(),
                      [](Value operand) { return isSplat(operand.getDefiningOp()); });
}

bool isRecomputed(Operation *op) {
  if (getKernelNumber(op))
    return false;
  return isView(op) || isSplat(op) || isRankArithmetic(op) ||
         isa<IotaOp, BroadcastOp, dist::RankOp, dist::GroupSizeOp>(op);
}

/// Returns for each dimension of the first operand, without dimensions of size one, its size and
/// whether the op combines it. A composite combines its factors that are not parallel.
static SmallVector<std::pair<int64_t, bool>> listDims(Operation *op) {
  SmallVector<std::pair<int64_t, bool>> dims;
  auto add = [&](int64_t size, bool isCombined) {
    if (size != 1)
      dims.push_back({size, isCombined});
  };
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    ArrayRef<int64_t> shape = cast<ShapedType>(reduce.getInput().getType()).getShape();
    for (auto [dim, size] : llvm::enumerate(shape))
      add(size, llvm::is_contained(reduce.getDims(), int64_t(dim)));
    return dims;
  }
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  for (const DimFactors &dim : rule.getOperands().front())
    for (unsigned factor : dim)
      add(rule.getFactor(factor).size, rule.getFactor(factor).kind != FactorKind::Parallel);
  return dims;
}

ReductionLoops getReductionLoops(Operation *op) {
  SmallVector<bool> combined;
  int64_t kept = 1, gone = 1;
  for (auto [size, isCombined] : listDims(op)) {
    combined.push_back(isCombined);
    (isCombined ? gone : kept) *= size;
  }
  if (llvm::is_sorted(combined))
    return {task::FormKind::Rows, kept, gone, true};
  if (llvm::is_sorted(llvm::reverse(combined)))
    return {task::FormKind::Columns, gone, kept, true};
  return {task::FormKind::Rows, kept, gone, false};
}

task::PlaceAttr getPlace(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return cast<func::FuncOp>(argument.getOwner()->getParentOp())
        .getArgAttrOfType<task::PlaceAttr>(argument.getArgNumber(), placeAttrName);
  auto result = cast<OpResult>(value);
  if (auto places = result.getOwner()->getAttrOfType<ArrayAttr>(placeAttrName))
    return dyn_cast<task::PlaceAttr>(places[result.getResultNumber()]);
  return result.getOwner()->getAttrOfType<task::PlaceAttr>(placeAttrName);
}

bool isCollective(Operation *op) {
  if (isa<pipe::SendOp, pipe::RecvOp>(op))
    return true;
  return isa_and_nonnull<dist::DistDialect>(op->getDialect()) &&
         !isa<dist::RankOp, dist::GroupSizeOp>(op);
}

bool hasInstructions(Type element) { return isa<Float32Type, Float16Type, BFloat16Type>(element); }

bool isConvolution(Operation *op) {
  return isa<Conv2dOp, Conv2dInputGradientOp, Conv2dWeightGradientOp>(op);
}

bool isAttention(Operation *op) { return isa<AttentionOp, AttentionGradientOp>(op); }

Value viewRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op) || getKernelNumber(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

void forEachSource(Operation *op, function_ref<void(Value, ArrayRef<Operation *>)> callback) {
  for (Value operand : op->getOperands()) {
    SmallVector<Operation *, 4> chain;
    Value source = operand;
    Operation *producer = source.getDefiningOp();
    while (producer && isRecomputed(producer)) {
      chain.push_back(producer);
      if (producer->getNumOperands() == 0)
        break;
      source = producer->getOperand(0);
      producer = source.getDefiningOp();
    }
    if (!producer || !isRecomputed(producer))
      callback(source, chain);
  }
}

void forEachReader(Value value, function_ref<void(Operation *)> callback) {
  for (Operation *user : value.getUsers()) {
    if (!isRecomputed(user))
      callback(user);
    else
      for (Value result : user->getResults())
        forEachReader(result, callback);
  }
}

bool addsByItself(const Kernel &kernel) {
  if (kernel.form.getKind() != task::FormKind::Matmul)
    return false;
  Value product = kernel.ops.front()->getResult(0);
  return llvm::all_of(llvm::drop_begin(kernel.ops), llvm::IsaPred<ReduceOp>) &&
         !kernel.outputs.empty() && kernel.outputs.front() == product && product.hasOneUse() &&
         getElementTypeOrSelf(product.getType()).isF32();
}

int64_t findAddition(Value result) {
  Operation *op = viewRoot(result).getDefiningOp();
  std::optional<int64_t> number = op ? getKernelNumber(op) : std::nullopt;
  if (auto done = number ? op->getAttrOfType<IntegerAttr>(task::doneAttrName) : IntegerAttr())
    return done.getInt() - 1;
  return number.value_or(-1);
}

SmallVector<Kernel> collectKernels(func::FuncOp function) {
  SmallVector<Kernel> kernels;
  auto forms = function->getAttrOfType<ArrayAttr>(formsAttrName);
  if (!forms)
    return kernels;
  for (auto [number, form] : llvm::enumerate(forms))
    kernels.push_back({int64_t(number), cast<task::FormAttr>(form), {}, {}, {}, {}});
  if (auto hoisted = function->getAttrOfType<ArrayAttr>(hoistedAttrName))
    for (auto [kernel, place] : llvm::zip(kernels, hoisted.getAsRange<ArrayAttr>()))
      kernel.hoisted = {cast<FlatSymbolRefAttr>(place[0]).getValue(),
                        cast<IntegerAttr>(place[1]).getInt()};

  for (Operation &op : function.getBody().front()) {
    std::optional<int64_t> number = getKernelNumber(&op);
    if (!number)
      continue;
    Kernel &kernel = kernels[*number];
    kernel.ops.push_back(&op);
    forEachSource(&op, [&](Value source, ArrayRef<Operation *>) {
      Operation *producer = source.getDefiningOp();
      if (!producer || getKernelNumber(producer) != number)
        kernel.inputs.insert(source);
    });
    for (Value result : op.getResults()) {
      bool readOutside = false, readInside = false;
      forEachReader(result, [&](Operation *reader) {
        // A reader without a kernel that does not return is dead.
        std::optional<int64_t> other = getKernelNumber(reader);
        bool isReturn = reader->hasTrait<OpTrait::IsTerminator>();
        readOutside |= isReturn || (other && other != number);
        readInside |= other == number;
      });
      if (readOutside || (isAttention(&op) && !readInside))
        kernel.outputs.push_back(result);
    }
  }
  return kernels;
}

} // namespace pcc::analysis
