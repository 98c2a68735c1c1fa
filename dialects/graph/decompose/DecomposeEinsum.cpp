// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes a contraction into a matmul. Its letters are of four kinds:
//
//   bqhd,bkhd->bhqk    batch b h (in all three), rows q, columns k, contracted d
//
// The operands become [batch, rows, contracted] and [batch, contracted, columns]. A flag says
// whether an operand is stored with the last two exchanged. Letters that only one operand has are
// summed first. Without contracted letters there is no matmul, and elements are multiplied instead.
#include "dialects/graph/decompose/Decompose.h"

#include "dialects/graph/EinsumEquation.h"

using namespace mlir;
using namespace pcc::graph;

namespace {
/// A tensor whose dimensions have names.
struct Lettered {
  Value value;
  std::string letters;

  ArrayRef<int64_t> shape() const { return cast<RankedTensorType>(value.getType()).getShape(); }
};

/// Matrices in memory, with rows and columns exchanged or not.
struct Matrices {
  Value value;
  bool isTransposed = false;
};

class Contraction {
public:
  Contraction(EinsumOp op, DecompositionBuilder &builder);
  Value build();

private:
  std::string pick(bool inLeft, bool inRight, bool inResult) const;
  int64_t sizeOf(StringRef letters) const;
  Value withShape(Value value, ArrayRef<int64_t> shape);
  void sumAlone(Lettered &operand, const Lettered &other);
  Value transpose(const Lettered &operand, StringRef letters);
  Matrices makeMatrices(const Lettered &operand, const std::string &first,
                        const std::string &second);
  Value buildElements();
  Value spread(const Lettered &operand);

  DecompositionBuilder &builder;
  Lettered left, right;
  std::string result, batch;
  RankedTensorType type;
};
} // namespace

Contraction::Contraction(EinsumOp op, DecompositionBuilder &builder) : builder(builder) {
  auto equation = *EinsumEquation::parse(op.getEquation());
  left = {op.getLhs(), equation.lhs.str()};
  right = {op.getRhs(), equation.rhs.str()};
  result = equation.result.str();
  type = op.getType();
  sumAlone(left, right);
  sumAlone(right, left);
  batch = pick(true, true, true);
  // The matmul's rows are the letters that the result has first.
  if (StringRef(result) == batch + pick(false, true, true) + pick(true, false, true))
    std::swap(left, right);
}

/// Returns the letters that are in exactly these tensors. Their order is that of the result or, if
/// it lacks them, of the left operand.
std::string Contraction::pick(bool inLeft, bool inRight, bool inResult) const {
  std::string picked;
  for (char letter : inResult ? result : left.letters)
    if (StringRef(left.letters).contains(letter) == inLeft &&
        StringRef(right.letters).contains(letter) == inRight &&
        StringRef(result).contains(letter) == inResult)
      picked += letter;
  return picked;
}

/// The product of the sizes of `letters`.
int64_t Contraction::sizeOf(StringRef letters) const {
  int64_t size = 1;
  for (char letter : letters) {
    size_t dim = left.letters.find(letter);
    size *=
        dim != std::string::npos ? left.shape()[dim] : right.shape()[right.letters.find(letter)];
  }
  return size;
}

Value Contraction::withShape(Value value, ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  return from.getShape() == shape ? value : builder.make<ReshapeOp>(from.clone(shape), value);
}

/// Sums `operand` over the letters that no other tensor has.
void Contraction::sumAlone(Lettered &operand, const Lettered &other) {
  SmallVector<int64_t> dims;
  std::string kept;
  for (auto [dim, letter] : llvm::enumerate(operand.letters)) {
    if (StringRef(other.letters).contains(letter) || StringRef(result).contains(letter))
      kept += letter;
    else
      dims.push_back(dim);
  }
  if (!dims.empty())
    operand = {builder.make<ReduceOp>(ReduceOpKind::Sum, operand.value, dims), kept};
}

/// Returns `operand` with its dimensions in the order of `letters`.
Value Contraction::transpose(const Lettered &operand, StringRef letters) {
  SmallVector<int64_t> permutation;
  for (char letter : letters)
    permutation.push_back(operand.letters.find(letter));
  return llvm::is_sorted(permutation) ? operand.value
                                      : builder.make<TransposeOp>(operand.value, permutation);
}

/// Returns `operand` as [batch, first, second], each one dimension; without batch letters, of rank
/// 2.
Matrices Contraction::makeMatrices(const Lettered &operand, const std::string &first,
                                   const std::string &second) {
  Matrices matrices;
  matrices.isTransposed =
      operand.letters != batch + first + second && operand.letters == batch + second + first;
  matrices.value =
      matrices.isTransposed ? operand.value : transpose(operand, batch + first + second);
  SmallVector<int64_t> shape = {sizeOf(first), sizeOf(second)};
  if (matrices.isTransposed)
    std::swap(shape[0], shape[1]);
  if (!batch.empty())
    shape.insert(shape.begin(), sizeOf(batch));
  matrices.value = withShape(matrices.value, shape);
  return matrices;
}

/// Repeats `operand`, whose letters are all in the result, to the result's shape.
Value Contraction::spread(const Lettered &operand) {
  SmallVector<int64_t> dims;
  std::string letters;
  for (auto [dim, letter] : llvm::enumerate(result))
    if (StringRef(operand.letters).contains(letter)) {
      dims.push_back(dim);
      letters += letter;
    }
  Value value = transpose(operand, letters);
  return letters == result ? value : builder.make<BroadcastOp>(type, value, dims);
}

Value Contraction::buildElements() { return builder.make<MulOp>(spread(left), spread(right)); }

Value Contraction::build() {
  std::string contracted = pick(true, true, false);
  if (contracted.empty())
    return buildElements();
  std::string rows = pick(true, false, true), columns = pick(false, true, true);
  Matrices lhs = makeMatrices(left, rows, contracted);
  Matrices rhs = makeMatrices(right, contracted, columns);
  Value product = builder.make<MatmulOp>(lhs.value, rhs.value, lhs.isTransposed, rhs.isTransposed);
  Lettered all = {product, batch + rows + columns};
  SmallVector<int64_t> shape;
  for (char letter : all.letters)
    shape.push_back(sizeOf(StringRef(&letter, 1)));
  all.value = withShape(product, shape);
  return transpose(all, result);
}

Decomposition pcc::graph::decompose(EinsumOp op, DecompositionBuilder &builder) {
  return {Contraction(op, builder).build()};
}
