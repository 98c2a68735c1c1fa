// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/ModelWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc::conformance {

std::string Value::type() const {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

std::string toText(const Shape &numbers) {
  std::string text;
  llvm::raw_string_ostream(text) << "[" << llvm::interleaved(numbers) << "]";
  return text;
}

std::string elementOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::string>(name)
      .Case("float16", "f16")
      .Case("bfloat16", "bf16")
      .Case("float64", "f64")
      .Case("int32", "i32")
      .Case("int64", "i64")
      .Case("bool", "i1")
      .Default("f32");
}

/// Returns the strategy's text, for example `((2,1),(1,4))`.
static std::string strategyText(const Tuples &tuples) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "(";
  llvm::interleave(
      tuples, os, [&](const Shape &tuple) { os << "(" << llvm::interleaved(tuple, ",") << ")"; },
      ",");
  os << ")";
  return text;
}

std::string markText(const std::optional<Tuples> &in, const std::optional<Tuples> &out,
                     const std::string &others) {
  std::vector<std::string> marks;
  if (in)
    marks.push_back("dist.in = \"" + strategyText(*in) + "\"");
  if (out)
    marks.push_back("dist.out = \"" + strategyText(*out) + "\"");
  if (!others.empty())
    marks.push_back(others);
  return marks.empty() ? "" : " {" + llvm::join(marks, ", ") + "}";
}

std::optional<Tuples> ModelWriter::strategyOf(const Node &node, llvm::StringRef key) {
  const llvm::json::Array *given = node.object->getArray(key);
  if (!given)
    return std::nullopt;
  Tuples tuples;
  for (const llvm::json::Value &tuple : *given)
    tuples.push_back(integers(*tuple.getAsArray()));
  return tuples;
}

Value ModelWriter::write(const std::string &name, const std::string &op, const std::string &middle,
                         const std::string &types, const Shape &shape, const std::string &element) {
  body += "%" + name + " = graph." + op + " " + middle + " : " + types + " loc(\"" + name + "\")\n";
  return {"%" + name, shape, element};
}

std::vector<Value> ModelWriter::writeMany(const std::string &name, const std::string &op,
                                          const std::string &middle, const std::string &types,
                                          const std::vector<Shape> &shapes) {
  body += "%" + name + ":" + std::to_string(shapes.size()) + " = graph." + op + " " + middle +
          " : " + types + " loc(\"" + name + "\")\n";
  std::vector<Value> values;
  for (auto [index, shape] : llvm::enumerate(shapes))
    values.push_back({"%" + name + "#" + std::to_string(index), shape});
  return values;
}

/// Returns true if `tuple` can be the strategy of a tensor with `value`'s shape. Its dimensions are
/// `dims` of `shape`. A repeated dimension must not be cut.
static bool fits(const Shape &tuple, const Value &value, const Shape &shape, const Shape &dims) {
  if (tuple.size() != value.shape.size())
    return false;
  for (auto [count, size, dim] : llvm::zip(tuple, value.shape, dims))
    if (count != 1 && size == 1 && shape[dim] > 1)
      return false;
  return true;
}

Value ModelWriter::repeat(const Node &node, unsigned operand, const Value &value,
                          const Shape &shape, const Shape &dims) {
  if (value.shape == shape)
    return value;
  std::optional<Tuples> strategy = strategyOf(node), own;
  if (strategy && operand < strategy->size())
    if (const Shape &tuple = (*strategy)[operand]; !fits(tuple, value, shape, dims))
      own = Tuples{tuple};
  Value result{"", shape, value.element};
  return write(node.name + "_" + std::to_string(operand), "broadcast",
               value.name + ", " + toText(dims) + markText(own),
               value.type() + " to " + result.type(), shape, value.element);
}

} // namespace pcc::conformance
