// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Case.h"

namespace pcc::conformance {
namespace json = llvm::json;

std::vector<int64_t> integers(const json::Array &array) {
  std::vector<int64_t> numbers;
  for (const json::Value &value : array)
    numbers.push_back(value.getAsInteger().value_or(0));
  return numbers;
}

std::optional<std::vector<int64_t>> Node::list(llvm::StringRef attribute) const {
  const json::Array *array = attributes ? attributes->getArray(attribute) : nullptr;
  return array ? std::optional(integers(*array)) : std::nullopt;
}

int64_t Node::number(llvm::StringRef attribute) const {
  return attributes->getInteger(attribute).value();
}

llvm::StringRef Node::text(llvm::StringRef attribute, llvm::StringRef otherwise) const {
  return attributes ? attributes->getString(attribute).value_or(otherwise) : otherwise;
}

static std::vector<NamedShape> readShapes(const json::Object *tensors) {
  std::vector<NamedShape> shapes;
  if (!tensors)
    return shapes;
  for (const auto &[name, tensor] : *tensors)
    shapes.push_back({name.str(), integers(*tensor.getAsObject()->getArray("shape")),
                      tensor.getAsObject()->getString("dtype").value_or("float32").str()});
  return shapes;
}

static Node readNode(const json::Object &object) {
  Node node{object.getString("name").value_or("").str(),
            object.getString("op").value_or("").str(),
            {},
            object.getObject("attrs"),
            &object};
  for (const json::Value &input : *object.getArray("in"))
    node.inputs.push_back(input.getAsString().value_or("").str());
  return node;
}

llvm::Expected<Case> Case::read(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object || !object->getString("id") || !object->getString("kind") ||
      !object->getString("status"))
    return llvm::createStringError("expected an object with id, kind and status");
  Case result{object,
              object->getString("id")->str(),
              object->getString("kind")->str(),
              object->getString("mode").value_or("").str(),
              object->getInteger("devices").value_or(1),
              readShapes(object->getObject("inputs")),
              readShapes(object->getObject("params")),
              {},
              *object->getString("status") == "refused",
              {}};
  if (const json::Array *nodes = object->getArray("nodes"))
    for (const json::Value &node : *nodes)
      result.nodes.push_back(readNode(*node.getAsObject()));
  if (const json::Object *refusal = object->getObject("refusal"))
    result.category = refusal->getString("category").value_or("").str();
  return result;
}

Judgement judgeRefusal(const Case &question, llvm::StringRef error,
                       llvm::ArrayRef<Refusal> refusals) {
  for (auto [category, text] : refusals)
    if (category == question.category && error.contains(text))
      return {Verdict::Same, ("refused: " + error).str()};
  return {Verdict::Failed, "expected to be refused as " + question.category + ", got " +
                               (error.empty() ? "a program" : error.str())};
}

} // namespace pcc::conformance
