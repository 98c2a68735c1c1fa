// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and softmax.

#include "compiler/import/Operators.h"
#include "compiler/import/Shapes.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Reduces `axes`, or all of them if there is no list; an empty list counts as none, unless
/// `noop_with_empty_axes` makes the operator the identity.
LogicalResult reduce(Node &node, graph::ReduceOpKind kind, std::optional<Shape> axes) {
  Tensor x = node.input(0);
  bool keepDims = node.integer("keepdims", 1) != 0;
  bool emptyIsIdentity = node.integer("noop_with_empty_axes", 0) != 0;
  if (axes && !(axes = node.checkAxes(*axes, x.rank())))
    return failure();
  if (!axes || axes->empty()) {
    if (emptyIsIdentity)
      return node.setResult(x);
    axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  }
  Tensor result = node.emit.reduce(kind, x, *axes);
  if (!keepDims)
    return node.setResult(result);
  Shape shape(x.shape());
  for (int64_t axis : *axes)
    shape[axis] = 1;
  return node.setResult(node.emit.reshape(result, shape));
}

template <graph::ReduceOpKind kind> LogicalResult reduceAttribute(Node &node) {
  return reduce(node, kind, node.integers("axes"));
}

template <graph::ReduceOpKind kind> LogicalResult reduceInput(Node &node) {
  auto axes = node.optionalIntegers(1, "list of axes");
  return succeeded(axes) ? reduce(node, kind, *axes) : failure();
}

/// Before opset 13: softmax over all dimensions from `axis` on together.
LogicalResult importFlattenedSoftmax(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  auto axis = node.checkAxis(node.integer("axis", 1), x.rank());
  if (!axis)
    return failure();
  if (*axis == x.rank() - 1)
    return node.setResult(emit.softmax(x, *axis));
  Tensor flat = emit.reshape(x, {ShapedType::getNumElements(x.shape().take_front(*axis)),
                                 ShapedType::getNumElements(x.shape().drop_front(*axis))});
  return node.setResult(emit.reshape(emit.softmax(flat, 1), x.shape()));
}

LogicalResult importSoftmax(Node &node) {
  auto axis = node.checkAxis(node.integer("axis", -1), node.input(0).rank());
  return axis ? node.setResult(node.emit.softmax(node.input(0), *axis)) : failure();
}

/// A reduction whose axes are an attribute, and one whose axes are an input.
template <graph::ReduceOpKind kind> Operator withAttribute(llvm::StringLiteral name) {
  return {name, 1, 1, 1, FirstInput, reduceAttribute<kind>};
}
template <graph::ReduceOpKind kind> Operator withInput(llvm::StringLiteral name, int64_t since) {
  return {name, since, 1, 2, FirstInput, reduceInput<kind>};
}

} // namespace

llvm::ArrayRef<Operator> reduceOperators() {
  using Kind = graph::ReduceOpKind;
  static const Operator rows[] = {
      withAttribute<Kind::Max>("ReduceMax"),
      withInput<Kind::Max>("ReduceMax", 18),
      withAttribute<Kind::Mean>("ReduceMean"),
      withInput<Kind::Mean>("ReduceMean", 18),
      withAttribute<Kind::Min>("ReduceMin"),
      withInput<Kind::Min>("ReduceMin", 18),
      withAttribute<Kind::Prod>("ReduceProd"),
      withInput<Kind::Prod>("ReduceProd", 18),
      withAttribute<Kind::Sum>("ReduceSum"),
      withInput<Kind::Sum>("ReduceSum", 13),
      {"Softmax", 1, 1, 1, FirstInput, importFlattenedSoftmax},
      {"Softmax", 13, 1, 1, FirstInput, importSoftmax},
  };
  return rows;
}

} // namespace pcc::import
