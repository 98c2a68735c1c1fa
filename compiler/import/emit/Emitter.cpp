// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops, reductions and matmuls, and the helpers of all emitting functions.

#include "compiler/import/emit/Emitter.h"

#include "compiler/import/emit/Evaluate.h"
#include "compiler/import/files/NarrowTypes.h"
#include "compiler/import/files/Shapes.h"
#include "compiler/values/TensorAttr.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace pcc::import {

bool isGraphElement(Type type) { return values::elementTypeOf(type).has_value(); }

/// Returns the same stored elements under another type; no conversion.
static Tensor relabeled(Tensor x, Type elementType) {
  x.type = RankedTensorType::get(x.shape(), elementType);
  if (x.known)
    x.known = std::make_shared<const Constant>(Constant{x.type, x.known->elements});
  return x;
}

Tensor Tensor::held() const {
  return type && isNarrow(elementType()) ? relabeled(*this, holderOf(elementType())) : *this;
}

Tensor Tensor::asNarrow(Type elementType) const {
  return type ? relabeled(*this, elementType) : *this;
}

Tensor Tensor::of(Value value) {
  return value ? Tensor{cast<RankedTensorType>(value.getType()), nullptr, value} : Tensor();
}

Tensor Tensor::of(Constant constant) {
  RankedTensorType type = constant.type;
  return {type, std::make_shared<const Constant>(std::move(constant)), Value()};
}

Tensor Tensor::ofSequence(std::vector<Tensor> elements) {
  Tensor result;
  result.sequence = std::make_shared<const std::vector<Tensor>>(std::move(elements));
  return result;
}

const Tensor &Tensor::absent() {
  static const Tensor none = ofSequence({});
  return none;
}

Tensor Tensor::empty(RankedTensorType type) { return of(Constant{type, values::zerosOf(type)}); }

InFlightDiagnostic Emitter::error() const { return emitError(loc) << subject << ": "; }
InFlightDiagnostic Emitter::warning() const { return emitWarning(loc) << subject << ": "; }

bool Emitter::evaluates(llvm::ArrayRef<int64_t> shape,
                        std::initializer_list<const Tensor *> operands) const {
  bool allKnown = llvm::all_of(operands, [](const Tensor *x) { return x->known != nullptr; });
  bool allSplats =
      allKnown && llvm::all_of(operands, [](const Tensor *x) { return x->known->isSplat(); });
  return allSplats || (allKnown && ShapedType::getNumElements(shape) <= maxFoldedElements);
}

Tensor Emitter::finish(Operation *op) {
  if (succeeded(verify(op)))
    return Tensor::of(op->getResult(0));
  op->erase();
  return {};
}

llvm::SmallVector<Tensor> Emitter::apply(llvm::StringRef name, llvm::ArrayRef<Type> types,
                                         llvm::ArrayRef<Tensor> operands,
                                         llvm::ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name);
  state.addTypes(types);
  state.addAttributes(attributes);
  for (const Tensor &operand : operands) {
    state.operands.push_back(materialize(operand));
    if (!state.operands.back())
      return llvm::SmallVector<Tensor>(types.size());
  }
  Operation *op = builder.create(state);
  if (!finish(op))
    return llvm::SmallVector<Tensor>(types.size());
  return llvm::map_to_vector(op->getResults(), [](Value value) { return Tensor::of(value); });
}

Value Emitter::materialize(const Tensor &x) {
  if (!x.known)
    return x.value;
  if (isNarrow(x.elementType()))
    return materialize(x.held());
  if (!isGraphElement(x.elementType())) {
    error() << "expected elements of a supported type, got " << x.elementType();
    return {};
  }
  if (x.isEmpty()) {
    error() << "expected a tensor with elements, got " << x.type;
    return {};
  }
  return graph::ConstantOp::create(builder, loc, x.type, encodeConstant(*x.known, "constant"));
}

static bool isProductAtMost(int64_t most, llvm::ArrayRef<int64_t> sizes) {
  return isAddressable(sizes) && ShapedType::getNumElements(sizes) <= most;
}

bool Emitter::allowsParts(llvm::ArrayRef<int64_t> sizes, llvm::StringRef what) const {
  bool isAllowed = isProductAtMost(maxParts, sizes);
  if (!isAllowed)
    error() << "expected at most " << int64_t(maxParts) << " " << what << ", got "
            << formatShape(sizes);
  return isAllowed;
}

bool Emitter::allowsTable(llvm::ArrayRef<int64_t> sizes) const {
  bool isAllowed = isProductAtMost(maxTableElements, sizes);
  if (!isAllowed)
    error() << "expected a table of at most " << int64_t(maxTableElements) << " elements, got "
            << formatShape(sizes);
  return isAllowed;
}

Tensor Emitter::scalar(Type elementType, double value) {
  return Tensor::of(Constant::scalar(elementType, value));
}

std::optional<llvm::SmallVector<int64_t>>
Emitter::broadcastShape(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes) {
  llvm::SmallVector<int64_t> result;
  for (llvm::ArrayRef<int64_t> shape : shapes) {
    auto common = commonShape(result, shape);
    if (!common || llvm::any_of(*common, [](int64_t size) { return size < 0; })) {
      error() << "expected shapes that broadcast together, got " << formatShape(result) << " and "
              << formatShape(shape);
      return std::nullopt;
    }
    if (!isAddressable(*common)) {
      error() << "expected shapes that broadcast to at most " << int64_t(graph::maxElements)
              << " elements, got " << formatShape(result) << " and " << formatShape(shape);
      return std::nullopt;
    }
    result = std::move(*common);
  }
  return result;
}

bool Emitter::haveEqualTypes(const Tensor &x, const Tensor &y) const {
  if (x && y && x.elementType() != y.elementType())
    error() << "expected equal element types, got " << x.elementType() << " and "
            << y.elementType();
  return x && y && x.elementType() == y.elementType();
}

bool Emitter::broadcastTogether(std::initializer_list<Tensor *> operands) {
  if (!llvm::all_of(operands, [](const Tensor *x) { return bool(*x); }))
    return false;
  auto shapes = llvm::map_to_vector(operands, [](const Tensor *x) { return x->shape(); });
  auto shape = broadcastShape(shapes);
  if (!shape)
    return false;
  if (llvm::is_contained(*shape, 0)) {
    for (Tensor *x : operands)
      *x = Tensor::empty(RankedTensorType::get(*shape, x->elementType()));
    return true;
  }
  bool allKnown = llvm::all_of(operands, [](const Tensor *x) { return x->known != nullptr; });
  for (Tensor *x : operands) {
    if (x->known && !x->known->isSplat() && !allKnown)
      *x = Tensor::of(materialize(*x));
    *x = broadcast(*x, *shape);
  }
  return llvm::all_of(operands, [](const Tensor *x) { return bool(*x); });
}

Tensor Emitter::folded(llvm::StringRef op, std::initializer_list<const Tensor *> operands) {
  const Tensor &first = **operands.begin();
  if (!first || !evaluates(first.shape(), operands))
    return {};
  auto known = llvm::map_to_vector(operands, [](const Tensor *x) { return x->known.get(); });
  auto result = evaluateElementwise(op, known);
  return result ? Tensor::of(std::move(*result)) : Tensor();
}

Tensor Emitter::compare(graph::Direction direction, const Tensor &x, const Tensor &y) {
  Tensor a = x, b = y;
  if (!haveEqualTypes(a, b) || !broadcastTogether({&a, &b}))
    return {};
  if (evaluates(a.shape(), {&a, &b}))
    return Tensor::of(evaluateCompare(direction, *a.known, *b.known));
  Value lhs = materialize(a), rhs = materialize(b);
  if (!lhs || !rhs)
    return {};
  auto type = RankedTensorType::get(a.shape(), builder.getI1Type());
  return finish(graph::CompareOp::create(builder, loc, type, direction, lhs, rhs));
}

Tensor Emitter::select(const Tensor &predicate, const Tensor &x, const Tensor &y) {
  Tensor p = predicate, a = x, b = y;
  if (!haveEqualTypes(a, b))
    return {};
  if (p && !p.elementType().isInteger(1)) {
    error() << "expected a condition of booleans, got " << p.elementType();
    return {};
  }
  if (!broadcastTogether({&p, &a, &b}))
    return {};
  if (evaluates(a.shape(), {&p, &a, &b}))
    return Tensor::of(evaluateSelect(*p.known, *a.known, *b.known));
  Value condition = materialize(p), onTrue = materialize(a), onFalse = materialize(b);
  if (!condition || !onTrue || !onFalse)
    return {};
  return finish(
      graph::SelectOp::create(builder, loc, onTrue.getType(), condition, onTrue, onFalse));
}

Tensor Emitter::cast(const Tensor &x, Type elementType) {
  if (!x || x.elementType() == elementType)
    return x;
  if (isNarrow(x.elementType()))
    return cast(x.held(), elementType);
  if (!isGraphElement(elementType)) {
    error() << "expected elements of a supported type, got " << elementType;
    return {};
  }
  if (evaluates(x.shape(), {&x}))
    return Tensor::of(evaluateCast(*x.known, elementType));
  Value input = materialize(x);
  if (!input)
    return {};
  auto type = RankedTensorType::get(x.shape(), elementType);
  return finish(graph::CastOp::create(builder, loc, type, input));
}

/// Returns an empty tensor like `x`, whose dimensions other than `dims` have size 1.
static Tensor oneOfEach(const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  Shape shape(x.rank(), 1);
  for (int64_t dim : dims)
    shape[dim] = x.shape()[dim];
  return Tensor::empty(x.type.clone(shape));
}

Tensor Emitter::reduce(graph::ReduceOpKind kind, const Tensor &x, llvm::ArrayRef<int64_t> dims) {
  if (!x || dims.empty())
    return x;
  llvm::SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(x.shape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
  if (x.isEmpty() && ShapedType::getNumElements(shape) > maxFoldedElements)
    return broadcast(reduce(kind, oneOfEach(x, dims), dims), shape);
  if (x.known && x.type.getNumElements() <= maxFoldedElements)
    if (auto result = evaluateReduce(kind, *x.known, dims))
      return Tensor::of(std::move(*result));
  Value input = materialize(x);
  if (!input)
    return {};
  auto type = RankedTensorType::get(shape, x.elementType());
  return finish(graph::ReduceOp::create(builder, loc, type, kind, input, dims));
}

Tensor Emitter::softmax(const Tensor &x, int64_t axis) {
  return map<graph::SoftmaxOp>(x, static_cast<uint64_t>(axis));
}

Tensor Emitter::logSoftmax(const Tensor &x, int64_t axis) {
  return map<graph::LogSoftmaxOp>(x, static_cast<uint64_t>(axis));
}

Tensor Emitter::lookThroughTranspose(const Tensor &x, bool &isTransposed) {
  auto op = x.value ? x.value.getDefiningOp<graph::TransposeOp>() : graph::TransposeOp();
  if (!op || !swapsLastTwo(op.getPermutation()))
    return x;
  isTransposed = !isTransposed;
  return Tensor::of(op.getInput());
}

/// Maximum rank of an operand of an einsum that is made here, which has a letter for each
/// dimension.
static constexpr int64_t maxLetters = 24;

/// Emits "abc,cd->abd": multiplies the rows of all matrices of `x` by one matrix.
Tensor Emitter::multiplyRows(const Tensor &x, const Tensor &y, bool transposeX, bool transposeY) {
  Value lhs = materialize(x), rhs = materialize(y);
  if (!lhs || !rhs)
    return {};
  std::string left;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    left += static_cast<char>('a' + dim);
  char inner = left.back(), columns = static_cast<char>(inner + 1);
  std::string right{inner, columns}, result = left;
  result.back() = columns;
  if (transposeX)
    std::swap(left[left.size() - 1], left[left.size() - 2]);
  if (transposeY)
    std::swap(right[0], right[1]);
  std::string equation = left + "," + right + "->" + result;
  return finish(graph::EinsumOp::create(builder, loc, lhs, rhs, equation));
}

Tensor Emitter::contractAxis(const Tensor &x, const Tensor &matrix, int64_t axis) {
  if (!haveEqualTypes(x, matrix))
    return {};
  if (x.rank() > maxLetters) {
    error() << "expected at most " << int64_t(maxLetters) << " dimensions, got " << x.type;
    return {};
  }
  Value lhs = materialize(x), rhs = materialize(matrix);
  if (!lhs || !rhs)
    return {};
  std::string left;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    left += static_cast<char>('a' + dim);
  std::string result = left;
  result[axis] = static_cast<char>('a' + x.rank());
  std::string equation = left + "," + result[axis] + left[axis] + "->" + result;
  return finish(graph::EinsumOp::create(builder, loc, lhs, rhs, equation));
}

Tensor Emitter::matmul(const Tensor &x, const Tensor &y, bool transposeX, bool transposeY) {
  if (!haveEqualTypes(x, y))
    return {};
  Tensor a = lookThroughTranspose(x, transposeX), b = lookThroughTranspose(y, transposeY);
  auto [rows, inner] = matrixSizes(a.shape(), transposeX);
  auto [otherInner, columns] = matrixSizes(b.shape(), transposeY);
  if (inner != otherInner) {
    error() << "expected matrices with as many columns as the others have rows, got shapes "
            << formatShape(x.shape()) << " and " << formatShape(y.shape());
    return {};
  }
  bool isEmpty = a.isEmpty() || b.isEmpty();
  if (b.rank() == 2 && a.rank() > 2 && a.rank() <= maxLetters && !isEmpty)
    return multiplyRows(a, b, transposeX, transposeY);
  auto batch = broadcastShape({a.shape().drop_back(2), b.shape().drop_back(2)});
  if (!batch)
    return {};
  Shape result(*batch);
  result.append({rows, columns});
  if (llvm::is_contained(result, 0) || inner == 0)
    return broadcast(scalarLike(a, 0.0), result);
  auto withBatch = [&](const Tensor &operand) {
    llvm::SmallVector<int64_t> full(*batch);
    llvm::append_range(full, operand.shape().take_back(2));
    return broadcast(operand, full);
  };
  Value lhs = materialize(withBatch(a)), rhs = materialize(withBatch(b));
  if (!lhs || !rhs)
    return {};
  auto type = RankedTensorType::get(result, a.elementType());
  return finish(graph::MatmulOp::create(builder, loc, type, lhs, rhs, transposeX, transposeY));
}

} // namespace pcc::import
