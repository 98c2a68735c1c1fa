// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that become one op.
#include "test/conformance/strategies/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace pcc::conformance {

std::vector<Value> writeUnary(Operation &o) {
  const Value &x = o.operands[0];
  o.readBy(0, o.node.name, 0);
  return {o.writer.write(o.node.name, o.op, x.name + markText(o.strategy, o.outStrategy), x.type(),
                         x.shape, x.element)};
}

std::vector<Value> writeReduce(Operation &o) {
  const Value &x = o.operands[0];
  int64_t rank = x.shape.size();
  Shape dims = o.node.list("axis").value_or(Shape{o.axis(rank)}), shape, kept = x.shape;
  for (int64_t &dim : dims)
    kept[dim = dim < 0 ? dim + rank : dim] = 1;
  llvm::sort(dims);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(x.shape[dim]);
  bool keeps = o.isTrue("keep_dims");
  std::string name = keeps ? o.node.name + "_reduced" : o.node.name;
  o.readBy(0, name, 0);
  Value result = o.writer.write(name, "reduce",
                                o.op + " " + x.name + ", " + toText(dims) +
                                    markText(o.strategy, o.outStrategy),
                                x.type(), shape, x.element);
  if (!keeps)
    return {result};
  Value value{"", kept, x.element};
  return {o.writer.write(o.node.name, "reshape", result.name, result.type() + " to " + value.type(),
                         kept, x.element)};
}

std::vector<Value> writeSoftmax(Operation &o) {
  const Value &x = o.operands[0];
  o.readBy(0, o.node.name, 0);
  return {o.writer.write(o.node.name, "softmax",
                         x.name + " axis = " + std::to_string(o.axis(x.shape.size())) +
                             markText(o.strategy, o.outStrategy),
                         x.type(), x.shape, x.element)};
}

std::vector<Value> writeTranspose(Operation &o) {
  const Value &x = o.operands[0];
  Shape permutation = *o.node.list("perm"), shape;
  for (int64_t dim : permutation)
    shape.push_back(x.shape[dim]);
  o.readBy(0, o.node.name, 0);
  return {o.writer.write(o.node.name, "transpose",
                         x.name + ", " + toText(permutation) + markText(o.strategy, o.outStrategy),
                         x.type(), shape, x.element)};
}

/// Writes a reshape. Its layouts follow its neighbors: a strategy of its own has no meaning.
std::vector<Value> writeReshape(Operation &o) {
  const Value &x = o.operands[0];
  Value result{"", *o.node.list("shape"), x.element};
  o.readBy(0, o.node.name, 0);
  return {o.writer.write(o.node.name, "reshape", x.name, x.type() + " to " + result.type(),
                         result.shape, x.element)};
}

std::vector<Value> writeCast(Operation &o) {
  const Value &x = o.operands[0];
  Value result{"", x.shape, elementOf(o.node.text("dtype", "float32"))};
  o.readBy(0, o.node.name, 0);
  return {o.writer.write(o.node.name, "cast", x.name + markText(o.strategy, o.outStrategy),
                         x.type() + " to " + result.type(), x.shape, result.element)};
}

std::vector<Value> writeConcat(Operation &o) {
  Shape shape = o.operands[0].shape;
  int64_t axis = o.axis(shape.size());
  shape[axis] = 0;
  std::vector<std::string> names, types;
  for (auto [index, operand] : llvm::enumerate(o.operands)) {
    names.push_back(operand.name);
    types.push_back(operand.type());
    shape[axis] += operand.shape[axis];
    o.readBy(index, o.node.name, index);
  }
  return {o.writer.write(o.node.name, "concat",
                         llvm::join(names, ", ") + " axis = " + std::to_string(axis) +
                             markText(o.strategy, o.outStrategy),
                         llvm::join(types, ", "), shape, o.operands[0].element)};
}

std::vector<Value> writeSplit(Operation &o) {
  const Value &x = o.operands[0];
  int64_t axis = o.axis(x.shape.size()), parts = o.node.number("parts");
  Value piece{"", x.shape, x.element};
  piece.shape[axis] /= parts;
  std::vector<std::string> types(parts, piece.type());
  o.readBy(0, o.node.name, 0);
  return o.writer.writeMany(
      o.node.name, "split",
      x.name + " axis = " + std::to_string(axis) + markText(o.strategy, o.outStrategy),
      x.type() + " to " + llvm::join(types, ", "), std::vector<Shape>(parts, piece.shape));
}

/// Writes a gather of rows of a table. If the table is split, MindSpore sums the partial
/// results and scatters the sum along the first dimension, where it divides. The strategy of the
/// result says this.
std::vector<Value> writeGather(Operation &o) {
  const Value &table = o.operands[0], &indices = o.operands[1];
  Shape shape = indices.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  std::optional<Tuples> out = o.outStrategy;
  if (!out && o.strategy && o.strategy->size() == 2 &&
      o.strategy->front().size() == table.shape.size() &&
      (*o.strategy)[1].size() == indices.shape.size() && !indices.shape.empty()) {
    int64_t rows = o.strategy->front().front();
    Shape counts = (*o.strategy)[1];
    counts.insert(counts.end(), o.strategy->front().begin() + 1, o.strategy->front().end());
    counts[0] *= rows;
    if (rows > 1 && counts[0] > 0 && shape[0] % counts[0] == 0)
      out = Tuples{counts};
  }
  o.sites.isScattered = out.has_value();
  o.readBy(0, o.node.name, 0);
  o.readBy(1, o.node.name, 1);
  return {o.writer.write(o.node.name, "gather",
                         table.name + ", " + indices.name + " axis = 0" + markText(o.strategy, out),
                         table.type() + ", " + indices.type(), shape, table.element)};
}

/// Writes a one-hot. The first tuple is that of the result; the two scalar operands have none.
std::vector<Value> writeOneHot(Operation &o) {
  const Value &indices = o.operands[0];
  Value result{"", indices.shape};
  int64_t axis = indices.shape.size();
  result.shape.push_back(o.node.number("depth"));
  std::optional<Tuples> out;
  if (o.strategy)
    out = o.strategy->size() == 3 ? Tuples{o.strategy->front()} : *o.strategy;
  o.readBy(0, o.node.name, 0);
  return {
      o.writer.write(o.node.name, "one_hot",
                     indices.name + " axis = " + std::to_string(axis) + markText(std::nullopt, out),
                     indices.type() + " to " + result.type(), result.shape)};
}

} // namespace pcc::conformance
