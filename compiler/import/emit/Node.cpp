// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each accessor of an attribute records the name as read; checkAttributes reports the names that no
// accessor read. A wrong kind is reported where the attribute is read, and fails the node in
// checkAttributes.
#include "compiler/import/emit/Node.h"

#include "compiler/import/files/onnx.pb.h"
#include <algorithm>

using namespace mlir;
using pcc::onnx::AttributeProto;

namespace pcc::import {

Tensor Node::input(size_t position) const {
  return position < inputs.size() ? inputs[position] : Tensor();
}

std::optional<llvm::SmallVector<int64_t>> Node::knownIntegers(size_t position,
                                                              llvm::StringRef what) {
  Tensor tensor = input(position);
  if (!tensor.known) {
    emit.error() << "the " << what << " depends on data: expected input '" << proto.input(position)
                 << "' to be known at import";
    return std::nullopt;
  }
  bool isList = tensor.known->size() <= Emitter::maxFoldedElements;
  auto values = isList ? tensor.known->asIntegers() : std::nullopt;
  if (!values)
    emit.error() << "expected the " << what << " as a list of integers, got " << tensor.type;
  return values;
}

std::optional<llvm::SmallVector<double>> Node::knownNumbers(size_t position, llvm::StringRef what) {
  Tensor tensor = input(position);
  if (!tensor.known) {
    emit.error() << "the " << what << " depends on data: expected input '" << proto.input(position)
                 << "' to be known at import";
    return std::nullopt;
  }
  if (tensor.known->size() > Emitter::maxFoldedElements) {
    emit.error() << "expected the " << what << " as a list of at most "
                 << int64_t(Emitter::maxFoldedElements) << " numbers, got " << tensor.type;
    return std::nullopt;
  }
  llvm::SmallVector<double> values;
  for (int64_t index = 0, end = tensor.known->size(); index < end; ++index)
    values.push_back(tensor.known->isFloat() ? (*tensor.known)[index].f
                                             : static_cast<double>((*tensor.known)[index].i));
  return values;
}

FailureOr<std::optional<llvm::SmallVector<int64_t>>> Node::optionalIntegers(size_t position,
                                                                            llvm::StringRef what) {
  if (!input(position))
    return std::optional<llvm::SmallVector<int64_t>>();
  auto values = knownIntegers(position, what);
  if (!values)
    return failure();
  return values;
}

const AttributeProto *Node::find(llvm::StringRef name, int kind, llvm::StringRef kindName) {
  for (const AttributeProto &attribute : proto.attribute()) {
    if (llvm::StringRef(attribute.name()) != name)
      continue;
    read.insert(name);
    if (attribute.type() == kind)
      return &attribute;
    hasBadAttribute = true;
    emit.error() << "expected attribute '" << name << "' to be " << kindName;
  }
  return nullptr;
}

bool Node::hasAttribute(llvm::StringRef name) const {
  return llvm::any_of(proto.attribute(), [&](const AttributeProto &attribute) {
    return llvm::StringRef(attribute.name()) == name;
  });
}

int64_t Node::integer(llvm::StringRef name, int64_t defaultValue) {
  const AttributeProto *attribute = find(name, AttributeProto::INT, "an integer");
  return attribute ? attribute->i() : defaultValue;
}

double Node::number(llvm::StringRef name, double defaultValue) {
  const AttributeProto *attribute = find(name, AttributeProto::FLOAT, "a number");
  return attribute ? attribute->f() : defaultValue;
}

std::string Node::text(llvm::StringRef name, llvm::StringRef defaultValue) {
  const AttributeProto *attribute = find(name, AttributeProto::STRING, "a string");
  return attribute ? attribute->s() : defaultValue.str();
}

std::optional<llvm::SmallVector<int64_t>> Node::integers(llvm::StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::INTS, "a list of integers");
  if (!attribute)
    return std::nullopt;
  return llvm::SmallVector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<llvm::SmallVector<double>> Node::numbers(llvm::StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::FLOATS, "a list of numbers");
  if (!attribute)
    return std::nullopt;
  return llvm::SmallVector<double>(attribute->floats().begin(), attribute->floats().end());
}

std::optional<llvm::SmallVector<std::string>> Node::texts(llvm::StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::STRINGS, "a list of strings");
  if (!attribute)
    return std::nullopt;
  return llvm::SmallVector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

std::optional<Constant> Node::tensor(llvm::StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::TENSOR, "a tensor");
  if (!attribute)
    return std::nullopt;
  auto data =
      tensors.read(attribute->t(), [&] { return emit.error() << "attribute '" << name << "': "; });
  hasBadAttribute |= !data;
  return data ? std::optional(decodeConstant(data->type, data->bytes)) : std::nullopt;
}

FailureOr<llvm::SmallVector<Tensor>> Node::body(llvm::StringRef name,
                                                llvm::ArrayRef<Tensor> inputs) {
  const AttributeProto *attribute = find(name, AttributeProto::GRAPH, "a graph");
  if (attribute)
    return bodies.importBody(attribute->g(), inputs, emit);
  return hasBadAttribute ? LogicalResult(failure())
                         : emit.error() << "expected attribute '" << name << "'";
}

std::optional<int64_t> Node::checkAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  auto diagnostic = emit.error();
  diagnostic << "axis " << axis << " is out of range: expected one in [" << -rank << ", "
             << rank - 1 << "]";
  return std::nullopt;
}

std::optional<llvm::SmallVector<int64_t>> Node::checkAxes(llvm::ArrayRef<int64_t> axes,
                                                          int64_t rank) {
  llvm::SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    auto checked = checkAxis(axis, rank);
    if (!checked)
      return std::nullopt;
    result.push_back(*checked);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) == result.end())
    return result;
  emit.error() << "expected every axis once, got the same one twice";
  return std::nullopt;
}

size_t Node::outputCount() const { return proto.output_size(); }

llvm::StringRef Node::outputName(size_t position) const { return proto.output(position); }

LogicalResult Node::setResults(llvm::ArrayRef<Tensor> values) {
  results.assign(values.begin(), values.end());
  return success(llvm::all_of(results, [](const Tensor &result) { return bool(result); }));
}

LogicalResult Node::checkAttributes() {
  llvm::StringSet<> names;
  for (const AttributeProto &attribute : proto.attribute())
    if (!names.insert(attribute.name()).second) {
      hasBadAttribute = true;
      emit.error() << "expected attribute '" << attribute.name() << "' once, got it twice";
    }
  for (const AttributeProto &attribute : proto.attribute()) {
    if (!read.insert(attribute.name()).second)
      continue;
    hasBadAttribute = true;
    emit.error() << "attribute '" << attribute.name() << "' is not supported";
  }
  return success(!hasBadAttribute);
}

} // namespace pcc::import
