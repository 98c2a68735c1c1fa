// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that repeat their operands to each other's shapes.
#include "test/conformance/strategies/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace pcc::conformance {
namespace {

/// Returns the dimensions of a result of `rank` that align with an operand of `operandRank`.
Shape alignRight(int64_t operandRank, int64_t rank) {
  Shape dims(operandRank);
  std::iota(dims.begin(), dims.end(), rank - operandRank);
  return dims;
}

/// Returns the common shape of both operands; the last dimensions are aligned.
Shape repeatShapes(const Shape &lhs, const Shape &rhs) {
  Shape shape(std::max(lhs.size(), rhs.size()), 1);
  for (const Shape *one : {&lhs, &rhs})
    for (auto [dim, size] : llvm::zip(alignRight(one->size(), shape.size()), *one))
      shape[dim] = std::max(shape[dim], size);
  return shape;
}

/// Writes an op called `name` of two operands that are repeated to each other's shapes. With
/// `biasDims` the second operand is repeated to the first one as a bias along these dimensions.
Value writeAligned(Operation &o, const Shape &biasDims, const std::string &name) {
  const Value &lhs = o.operands[0], &rhs = o.operands[1];
  bool isBias = !biasDims.empty();
  Shape shape = isBias ? lhs.shape : repeatShapes(lhs.shape, rhs.shape);
  Shape lhsDims = alignRight(lhs.shape.size(), shape.size());
  Shape dims = isBias ? biasDims : alignRight(rhs.shape.size(), shape.size());
  Value left = o.writer.repeat(o.node, 0, lhs, shape, lhsDims);
  Value right = o.writer.repeat(o.node, 1, rhs, shape, dims);
  for (auto [index, before, after] : {std::tuple(0u, &lhs, &left), {1u, &rhs, &right}}) {
    bool isRepeated = before->name != after->name;
    o.readBy(index, isRepeated ? after->name.substr(1) : name, isRepeated ? 0 : index);
  }
  return o.writer.write(name, o.op,
                        left.name + ", " + right.name + markText(o.strategy, o.outStrategy),
                        left.type(), shape, left.element);
}

} // namespace

std::vector<Value> writeElementwise(Operation &o) { return {writeAligned(o, {}, o.node.name)}; }

/// Writes a quotient, rounded down.
std::vector<Value> writeFloorDivide(Operation &o) {
  Value quotient = writeAligned(o, {}, o.node.name + "_quotient");
  return {o.writer.write(o.node.name, "floor", quotient.name, quotient.type(), quotient.shape,
                         quotient.element)};
}

/// Adds a bias along dimension 1.
std::vector<Value> writeBiasAdd(Operation &o) { return {writeAligned(o, {1}, o.node.name)}; }

/// Writes a matmul whose batch dimensions are repeated to each other.
std::vector<Value> writeMatmul(Operation &o) {
  const Value &lhs = o.operands[0], &rhs = o.operands[1];
  bool transposeLhs = o.isTrue("transpose_a"), transposeRhs = o.isTrue("transpose_b");
  auto batchOf = [](const Value &v) { return Shape(v.shape.begin(), v.shape.end() - 2); };
  auto withMatrix = [](Shape batch, const Value &v) {
    batch.insert(batch.end(), v.shape.end() - 2, v.shape.end());
    return batch;
  };
  Shape batch = repeatShapes(batchOf(lhs), batchOf(rhs));
  Shape shapes[] = {withMatrix(batch, lhs), withMatrix(batch, rhs)};
  Value both[2];
  Shape dims[2];
  for (unsigned index : {0u, 1u}) {
    const Value &value = o.operands[index];
    dims[index] = alignRight(value.shape.size(), shapes[index].size());
    both[index] = o.writer.repeat(o.node, index, value, shapes[index], dims[index]);
    bool isRepeated = both[index].name != value.name;
    o.readBy(index, isRepeated ? both[index].name.substr(1) : o.node.name, isRepeated ? 0 : index);
  }
  Shape shape = batch;
  shape.push_back(lhs.shape.end()[transposeLhs ? -1 : -2]);
  shape.push_back(rhs.shape.end()[transposeRhs ? -2 : -1]);
  std::string flags = transposeLhs ? "transpose_lhs" : "";
  if (transposeRhs)
    flags += flags.empty() ? "transpose_rhs" : ", transpose_rhs";
  return {o.writer.write(o.node.name, "matmul",
                         both[0].name + ", " + both[1].name +
                             markText(o.strategy, o.outStrategy, flags),
                         both[0].type() + ", " + both[1].type(), shape, lhs.element)};
}

} // namespace pcc::conformance
