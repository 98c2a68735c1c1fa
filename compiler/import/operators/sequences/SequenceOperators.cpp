// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences and optional values. The importer knows the length of each sequence, so a sequence is
// the list of its values, and these operators leave no op of their own. An optional value that
// exists is the value itself; the importer knows which ones do not exist.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"

using namespace mlir;

namespace pcc::import {
namespace {

using Values = std::vector<Tensor>;

/// Returns the values of the sequence `position`; null after an error.
const Values *readSequence(Node &node, size_t position) {
  Tensor input = node.input(position);
  if (input.sequence && !input.isAbsent())
    return input.sequence.get();
  auto error = node.emit.error() << "expected input " << position << " to be a sequence, got ";
  if (input.sequence)
    error << "an optional value that does not exist";
  else
    error << input.type;
  return nullptr;
}

/// Returns the input `position`, a place in a sequence, as a number in [0, end). Negative places
/// count from `size`; an absent input is `otherwise`.
std::optional<int64_t> readPlace(Node &node, size_t position, int64_t size, int64_t end,
                                 int64_t otherwise) {
  if (!node.input(position))
    return otherwise;
  auto places = node.knownIntegers(position, "place in the sequence");
  if (!places)
    return std::nullopt;
  int64_t place = places->size() == 1 ? places->front() : end;
  if (place >= -size && place < end && places->size() == 1)
    return place < 0 ? place + size : place;
  node.emit.error() << "expected one place in [" << -size << ", " << end - 1
                    << "] of the sequence, got " << formatShape(*places);
  return std::nullopt;
}

LogicalResult importSequenceConstruct(Node &node) {
  llvm::ArrayRef<Tensor> values = node.allInputs();
  for (const Tensor &value : values)
    if (value.elementType() != values.front().elementType())
      return node.emit.error() << "expected equal element types, got "
                               << values.front().elementType() << " and " << value.elementType();
  return node.setResult(Tensor::ofSequence(values.vec()));
}

LogicalResult importSequenceEmpty(Node &node) {
  node.integer("dtype", 1);
  return node.setResult(Tensor::ofSequence({}));
}

LogicalResult importSequenceAt(Node &node) {
  const Values *values = readSequence(node, 0);
  if (!values)
    return failure();
  auto size = static_cast<int64_t>(values->size());
  auto place = readPlace(node, 1, size, size, 0);
  return place ? node.setResult((*values)[*place]) : failure();
}

LogicalResult importSequenceInsert(Node &node) {
  const Values *values = readSequence(node, 0);
  if (!values)
    return failure();
  Tensor value = node.input(1);
  if (!values->empty() && values->front().elementType() != value.elementType())
    return node.emit.error() << "expected a value of type " << values->front().elementType()
                             << ", got " << value.elementType();
  auto size = static_cast<int64_t>(values->size());
  auto place = readPlace(node, 2, size, size + 1, size);
  if (!place)
    return failure();
  Values longer(*values);
  longer.insert(longer.begin() + *place, value);
  return node.setResult(Tensor::ofSequence(std::move(longer)));
}

LogicalResult importSequenceErase(Node &node) {
  const Values *values = readSequence(node, 0);
  if (!values)
    return failure();
  auto size = static_cast<int64_t>(values->size());
  if (size == 0)
    return node.emit.error() << "expected a sequence with values, got an empty one";
  auto place = readPlace(node, 1, size, size, size - 1);
  if (!place)
    return failure();
  Values shorter(*values);
  shorter.erase(shorter.begin() + *place);
  return node.setResult(Tensor::ofSequence(std::move(shorter)));
}

LogicalResult importSequenceLength(Node &node) {
  const Values *values = readSequence(node, 0);
  if (!values)
    return failure();
  Type i64 = IntegerType::get(node.emit.context(), 64);
  return node.setResult(Tensor::of(Constant::scalar(i64, static_cast<int64_t>(values->size()))));
}

/// Adds a dimension of size one at `axis`.
Tensor expand(Emitter &emit, const Tensor &x, int64_t axis) {
  Shape shape(x.shape());
  shape.insert(shape.begin() + axis, 1);
  return emit.reshape(x, shape);
}

LogicalResult importConcatFromSequence(Node &node) {
  const Values *values = readSequence(node, 0);
  if (!values)
    return failure();
  if (values->empty())
    return node.emit.error() << "expected a sequence with values, got an empty one";
  if (!node.hasAttribute("axis"))
    return node.emit.error() << "expected attribute 'axis'";
  bool isNew = node.integer("new_axis", 0) != 0;
  auto axis = node.checkAxis(node.integer("axis", 0), values->front().rank() + isNew);
  if (!axis)
    return failure();
  llvm::SmallVector<Tensor> pieces(values->begin(), values->end());
  if (isNew)
    for (Tensor &piece : pieces)
      piece = piece.rank() >= *axis ? expand(node.emit, piece, *axis) : piece;
  return node.setResult(node.emit.concat(pieces, *axis));
}

/// Returns the sizes of pieces of one size, of which the last may be smaller.
std::optional<Shape> equalPieces(Node &node, int64_t size, int64_t piece) {
  constexpr int64_t maxPieces = int64_t(1) << 16;
  if ((size - 1) / piece >= maxPieces) {
    node.emit.error() << "expected at most " << int64_t(maxPieces) << " pieces, got "
                      << (size - 1) / piece + 1;
    return std::nullopt;
  }
  Shape sizes;
  for (int64_t start = 0; start < size; start += piece)
    sizes.push_back(std::min(piece, size - start));
  return sizes;
}

/// Returns the sizes of the pieces: those that the input lists, or pieces of one size, of which the
/// last may be smaller.
std::optional<Shape> readPieces(Node &node, int64_t size) {
  if (!node.input(1))
    return equalPieces(node, size, 1);
  auto given = node.knownIntegers(1, "list of sizes");
  if (!given)
    return std::nullopt;
  if (node.input(1).rank() == 0 && given->front() > 0)
    return equalPieces(node, size, given->front());
  if (node.input(1).rank() == 1 && sumSizes(*given) == size)
    return given;
  node.emit.error() << "expected a positive size, or sizes of sum " << size << ", got "
                    << formatShape(*given);
  return std::nullopt;
}

LogicalResult importSplitToSequence(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", 0), x.rank());
  bool drops = node.integer("keepdims", 1) == 0 && !node.input(1);
  auto sizes = axis ? readPieces(node, x.shape()[*axis]) : std::nullopt;
  if (!sizes)
    return failure();
  llvm::SmallVector<Tensor> pieces = emit.split(x, *axis, *sizes);
  if (drops)
    for (Tensor &piece : pieces) {
      Shape shape(x.shape());
      shape.erase(shape.begin() + *axis);
      piece = emit.reshape(piece, shape);
    }
  if (!llvm::all_of(pieces, [](const Tensor &piece) { return bool(piece); }))
    return failure();
  return node.setResult(Tensor::ofSequence(Values(pieces.begin(), pieces.end())));
}

LogicalResult importOptional(Node &node) {
  node.ignore("type"); // of a value that does not exist
  return node.setResult(node.input(0) ? node.input(0) : Tensor::absent());
}

LogicalResult importOptionalGetElement(Node &node) {
  if (node.input(0).isAbsent())
    return node.emit.error() << "expected an optional value that exists";
  return node.setResult(node.input(0));
}

LogicalResult importOptionalHasElement(Node &node) {
  Type i1 = IntegerType::get(node.emit.context(), 1);
  return node.setResult(
      Tensor::of(Constant::scalar(i1, int64_t(node.input(0) && !node.input(0).isAbsent()))));
}

} // namespace

llvm::ArrayRef<Operator> sequenceOperators() {
  static const Operator rows[] = {
      {"ConcatFromSequence", 11, 1, 1, FirstInput, importConcatFromSequence, NoGradient,
       FirstInput},
      {"Optional", 15, 0, 1, FirstInput, importOptional, NoGradient, FirstInput},
      {"OptionalGetElement", 15, 1, 1, FirstInput, importOptionalGetElement, NoGradient,
       FirstInput},
      {"OptionalHasElement", 15, 0, 1, NoGradient, importOptionalHasElement, NoGradient,
       FirstInput},
      {"SequenceAt", 11, 2, 2, FirstInput, importSequenceAt, NoGradient, FirstInput},
      {"SequenceConstruct", 11, 1, anyNumber, AllInputs, importSequenceConstruct},
      {"SequenceEmpty", 11, 0, 0, NoGradient, importSequenceEmpty},
      {"SequenceErase", 11, 1, 2, FirstInput, importSequenceErase, NoGradient, FirstInput},
      {"SequenceInsert", 11, 2, 3, static_cast<Gradients>(FirstInput | SecondInput),
       importSequenceInsert, NoGradient, FirstInput},
      {"SequenceLength", 11, 1, 1, NoGradient, importSequenceLength, NoGradient, FirstInput},
      {"SplitToSequence", 11, 1, 2, FirstInput, importSplitToSequence},
  };
  return rows;
}

} // namespace pcc::import
