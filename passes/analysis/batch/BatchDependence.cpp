// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the samples by a worklist, from the inputs through the factor rule of each op. A factor
// that holds the samples takes them to every tensor that has it. A reduced factor gives a sum, and
// a whole factor is refused. Exceptions are batch norms, iotas that only number random draws,
// gathers with known indices, and ops with `graph.own_blocks`, whose rule is not used.

#include "passes/analysis/batch/BatchPropagation.h"

#include "dialects/dist/Sharding.h"
#include "dialects/graph/Constants.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::analysis {

/// Returns the name of an argument for messages: its name in the model, else its number.
static std::string nameOf(func::FuncOp function, unsigned argument) {
  RoleAttr role = getArgRole(function, argument);
  if (role && role.getName())
    return "'" + role.getName().str() + "'";
  return "#" + std::to_string(argument);
}

LogicalResult BatchPropagation::refuse(Operation *op, StringRef why) {
  return op->emitOpError() << "cannot work on one of " << count
                           << " parts, microbatches times copies: " << why;
}

LogicalResult BatchPropagation::startAtInputs() {
  for (unsigned index : findArgs(function, RoleKind::Input)) {
    Value input = function.getArgument(index);
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || type.getRank() == 0)
      continue;
    if (!hasGraphShape(type))
      return function.emitError() << "expected input " << nameOf(function, index)
                                  << " of static sizes of at least 1, got " << type;
    int64_t batch = type.getDimSize(0);
    if (batch % count != 0) {
      InFlightDiagnostic error =
          function.emitError() << "expected " << count
                               << " parts, microbatches times copies, to divide the batch of input "
                               << nameOf(function, index) << ", got " << batch << " samples";
      error.attachNote() << "counts that divide it: " << dist::listDivisors(batch);
      return error;
    }
    if (failed(addRows(function, input, {0, 1, batch})))
      return failure();
  }
  return success();
}

LogicalResult BatchPropagation::addRows(Operation *op, Value value, BatchPlace place) {
  if (found.sums.contains(value))
    return refuse(op, "it combines a sum over the batch with single samples");
  auto [entry, isNew] = found.rows.insert({value, place});
  if (isNew) {
    worklist.push_back(value);
    return success();
  }
  if (entry->second.dim != place.dim || entry->second.outer != place.outer)
    return refuse(op, "it combines each sample with other samples of the batch");
  return success();
}

/// Finds the factor of a dimension that holds the samples. A dimension of several factors, slowest
/// first, may hold the samples in any of them.
FailureOr<BatchPropagation::FactorPlace> BatchPropagation::locate(Operation *op,
                                                                  const FactorRule &rule,
                                                                  const DimFactors &factors,
                                                                  const BatchPlace &place) {
  int64_t before = 1;
  for (unsigned factor : factors) {
    int64_t size = rule.getFactor(factor).size;
    if (place.outer >= before * size) {
      before *= size;
      continue;
    }
    int64_t outer = place.outer / before, rest = size / outer;
    int64_t extent = std::min(place.extent, rest);
    bool fits = place.outer % before == 0 && size % outer == 0 && rest % extent == 0;
    if (!fits || extent % count != 0)
      return refuse(op, "it takes the batch apart into pieces that the count does not divide");
    return FactorPlace{factor, outer, extent};
  }
  return refuse(op, "it takes the batch apart");
}

/// Returns whether the results of `op` serve only as element numbers of random draws.
static bool onlyNumbersDraws(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<DropoutOp, RngUniformOp>(user) ||
           (user->hasTrait<Elementwise>() && onlyNumbersDraws(user));
  });
}

/// Returns whether `op` may read a part of the batch as if it were the whole batch. A batch norm
/// takes the statistics of the part. Random numbers count the elements of the part.
static bool isOfPart(Operation *op) {
  return isa<BatchNormOp>(op) || (isa<IotaOp>(op) && onlyNumbersDraws(op));
}

/// Adds the places of the batch in all tensors of `op`. `values` are its operands and results,
/// `tensors` their factors; value `index` is of kind Rows.
LogicalResult BatchPropagation::visitOp(Operation *op, ArrayRef<Value> values,
                                        ArrayRef<TensorFactors> tensors, const FactorRule &rule,
                                        unsigned index) {
  BatchPlace place = found.rows.find(values[index])->second;
  const DimFactors &factors = tensors[index][place.dim];
  FailureOr<FactorPlace> at = locate(op, rule, factors, place);
  if (failed(at))
    return failure();
  const Factor &factor = rule.getFactor(at->factor);
  bool isWhole = factor.kind == FactorKind::Whole || factor.kind == FactorKind::Window;
  if (isWhole && !isOfPart(op))
    return visitWhole(op, index);
  if (factor.kind == FactorKind::Reduce && !addsSamples(op) && !isOfPart(op))
    return refuse(op, "it combines the samples of the batch");
  if (factor.kind == FactorKind::Reduce && isPlainSum(op))
    found.adders.insert(op);
  if (auto gather = dyn_cast<GatherOp>(op); gather && gather.getMeanGradient() && index == 1)
    return refuse(op, "its gradient counts the reads of each row in the whole batch");
  for (auto [value, tensor] : llvm::zip_equal(values, tensors)) {
    bool holdsRows = false;
    for (auto [dim, dimFactors] : llvm::enumerate(tensor)) {
      const auto *position = llvm::find(dimFactors, at->factor);
      if (position == dimFactors.end())
        continue;
      int64_t before = 1;
      for (unsigned slower : llvm::make_range(dimFactors.begin(), position))
        before *= rule.getFactor(slower).size;
      if (failed(addRows(op, value, {unsigned(dim), before * at->outer, at->extent})))
        return failure();
      holdsRows = true;
    }
    bool isResult = value.getDefiningOp() == op;
    if (isResult && !holdsRows && !isOfPart(op) && failed(addSum(op, value)))
      return failure();
  }
  return success();
}

/// Visits an op that reads a whole dimension that holds the samples.
LogicalResult BatchPropagation::visitWhole(Operation *op, unsigned index) {
  auto gather = dyn_cast<GatherOp>(op);
  if (gather && index == 0)
    return visitGather(gather);
  return refuse(op, "it needs the whole batch");
}

/// Returns the dimension of `indices` that holds the samples, or -1 if there is none. Each of
/// `count` parts along it reads its own part of a dimension of `size` elements. Counted from the
/// start of their parts, all parts must read the same elements.
static int64_t findOwnPart(ArrayRef<int64_t> shape, ArrayRef<double> indices, int64_t size,
                           int64_t count) {
  int64_t part = size / count, inner = 1;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; inner *= shape[dim--]) {
    if (shape[dim] % count != 0)
      continue;
    int64_t block = shape[dim] / count * inner; // elements of one part that lie together
    bool isOwn = true;
    for (int64_t at = 0, end = indices.size(); isOwn && at < end; ++at) {
      int64_t number = at / block % count;
      isOwn = indices[at] == indices[at - number * block] + double(number * part) &&
              indices[at] >= double(number * part) && indices[at] < double((number + 1) * part);
    }
    if (isOwn)
      return dim;
  }
  return -1;
}

/// Follows a gather along the dimension of the samples whose indices are known, if each part of the
/// batch reads its own samples only.
LogicalResult BatchPropagation::visitGather(GatherOp op) {
  if (op.getPaddingIndex())
    return refuse(op, "its index of padding counts samples of the whole batch");
  BatchPlace place = found.rows.find(op.getInput())->second;
  auto constant = op.getIndices().getDefiningOp<ConstantOp>();
  auto indices = constant ? readElements(constant.getValue()) : std::nullopt;
  if (!indices)
    return refuse(op, "it picks samples of the batch by computed numbers");
  if (place.outer != 1)
    return refuse(op, "it picks samples of a batch behind another dimension");
  ArrayRef<int64_t> shape = typeOf(constant).getShape();
  int64_t dim = findOwnPart(shape, *indices, typeOf(op.getInput()).getDimSize(place.dim), count);
  if (dim < 0)
    return refuse(op, "it picks samples of other parts of the batch");
  found.ownIndices.insert(constant.getResult());
  if (failed(addRows(op, constant.getResult(), {unsigned(dim), 1, shape[dim]})))
    return failure();
  return addRows(op, op.getResult(), {unsigned(place.dim + dim), 1, shape[dim]});
}

/// Follows an op whose indices stay in their own blocks along dimension 0.
LogicalResult BatchPropagation::visitOwnBlocks(Operation *op, int64_t blocks, Value value) {
  BatchPlace place = found.rows.find(value)->second;
  if (place.dim != 0 || place.outer != 1)
    return refuse(op, "it picks samples of a batch behind another dimension");
  if (blocks % count != 0)
    return refuse(op, "it picks samples within blocks that the count does not divide");
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  for (Value other : values) {
    if (typeOf(other).getDimSize(0) % place.extent != 0)
      return refuse(op, "it takes the batch apart");
    if (failed(addRows(op, other, place)))
      return failure();
  }
  addOffsets(op->getOperand(1), typeOf(op->getOperand(0)).getDimSize(0) / count);
  return success();
}

/// Returns whether a value is only a term of indices that stay in their own blocks.
static bool isTermOfIndices(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->hasAttr(ownBlocksAttrName))
      return use.getOperandNumber() == 1;
    return isa<AddOp, ReshapeOp, BroadcastOp>(user) && isTermOfIndices(user->getResult(0));
  });
}

/// Collects the constant terms of indices. A term of indices into parts of other sizes must be
/// equal for all parts.
void BatchPropagation::addOffsets(Value indices, int64_t part) {
  Operation *op = indices.getDefiningOp();
  if (!op || !isTermOfIndices(indices))
    return;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto [offset, isNew] = offsets.try_emplace(constant, part);
    offset->second = isNew || offset->second == part ? part : 0;
  } else if (isa<AddOp, ReshapeOp, BroadcastOp>(op)) {
    for (Value operand : op->getOperands())
      addOffsets(operand, part);
  }
}

/// Returns whether the constant is a term of indices that grows by one part of the indexed
/// dimension from part to part.
bool BatchPropagation::isOffset(ConstantOp constant) const {
  auto offset = offsets.find(constant);
  BatchPlace place = found.rows.find(Value(constant))->second;
  auto numbers = readElements(constant.getValue());
  if (offset == offsets.end() || !numbers || place.outer != 1)
    return false;
  ArrayRef<int64_t> shape = constant.getType().getShape();
  int64_t block = shape[place.dim] / count * llvm::product_of(shape.drop_front(place.dim + 1));
  for (int64_t at = 0, end = numbers->size(); at < end; ++at) {
    int64_t part = at / block % count;
    if ((*numbers)[at] != (*numbers)[at - part * block] + double(part * offset->second))
      return false;
  }
  return true;
}

/// Checks a value that no op computes from others: an input, a constant.
LogicalResult BatchPropagation::checkLeaf(Value value) {
  BatchPlace place = found.rows.find(value)->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    RoleAttr role = getArgRole(function, argument.getArgNumber());
    if (role && role.getKind() == RoleKind::Input && place.dim == 0 && place.outer == 1)
      return success();
    return function.emitError() << "expected no argument but the inputs to carry the batch, got "
                                << "dimension " << place.dim << " of "
                                << nameOf(function, argument.getArgNumber());
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  if (found.cutConstant(constant, count))
    return success();
  if (isOffset(constant)) {
    found.ownIndices.insert(value);
    return success();
  }
  return refuse(constant, "its values differ from row to row of the batch");
}

LogicalResult BatchPropagation::visit(Value value) {
  if (found.sums.contains(value))
    return visitSum(value);
  if (found.quotients.contains(value))
    return visitQuotient(value);
  SmallVector<Operation *> ops;
  for (Operation *user : value.getUsers()) {
    bool isReturn = isa<func::ReturnOp>(user);
    if (isReturn && found.rows.find(value)->second.outer != 1)
      return refuse(user, "it returns the batch behind another dimension");
    if (!isReturn && !llvm::is_contained(ops, user))
      ops.push_back(user);
  }
  if (value.getDefiningOp<ConstantOp>()) {
    constants.push_back(value); // a gather that is found later may read its own part of them
  } else if (isa<BlockArgument>(value)) {
    if (failed(checkLeaf(value)))
      return failure();
  } else {
    ops.push_back(value.getDefiningOp());
  }
  for (Operation *op : ops) {
    if (auto blocks = op->getAttrOfType<IntegerAttr>(ownBlocksAttrName)) {
      if (failed(visitOwnBlocks(op, blocks.getInt(), value)))
        return failure();
      continue;
    }
    auto ruled = dyn_cast<FactorRuleOpInterface>(op);
    if (!ruled)
      return refuse(op, "it does not say how it may be split");
    FactorRule rule = ruled.getFactorRule();
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    SmallVector<TensorFactors> tensors(rule.getOperands());
    llvm::append_range(tensors, rule.getResults());
    for (auto [index, other] : llvm::enumerate(values))
      if (other == value && failed(visitOp(op, values, tensors, rule, index)))
        return failure();
  }
  return success();
}

LogicalResult BatchPropagation::run() {
  if (failed(startAtInputs()))
    return failure();
  for (size_t index = 0; index < worklist.size() || !divisions.empty();) {
    bool isDivision = index == worklist.size(); // the kinds of all others are known
    if (failed(isDivision ? visitFirstDivision() : visit(worklist[index++])))
      return failure();
  }
  for (Value value : found.quotients)
    if (failed(checkQuotient(value)))
      return failure();
  for (Value constant : constants)
    if (failed(checkLeaf(constant)))
      return failure();
  return success();
}

FailureOr<BatchDependence> BatchDependence::analyze(func::FuncOp function, int64_t count) {
  BatchPropagation propagation(function, count);
  if (failed(propagation.run()))
    return failure();
  return propagation.take();
}

ElementsAttr BatchDependence::cutConstant(ConstantOp constant, int64_t count) const {
  Value value = constant;
  const BatchPlace &place = rows.find(value)->second;
  Parts parts = ownIndices.contains(value) ? Parts::Any : Parts::Equal;
  return cutFirstPart(constant.getValue(), place.dim, count, place.outer, parts);
}

BatchDependence::Kind BatchDependence::getKind(Value value) const {
  if (rows.contains(value))
    return Kind::Rows;
  if (quotients.contains(value))
    return Kind::Quotient;
  return sums.contains(value) ? Kind::Sum : Kind::Fixed;
}

} // namespace pcc::analysis
