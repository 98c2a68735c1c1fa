// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes ops as text and keeps what they are called and how large their values are.
#pragma once

#include "test/conformance/strategies/Model.h"
#include "llvm/ADT/ArrayRef.h"

namespace pcc::conformance {

using Shape = std::vector<int64_t>;

/// Shard counts, a tuple for each tensor.
using Tuples = std::vector<Shape>;

/// A value in the text.
struct Value {
  std::string name; ///< `%a` or `%a#1`
  Shape shape;
  std::string element = "f32";

  std::string type() const;
};

/// `[0, 1]`.
std::string toText(const Shape &numbers);
/// `f32` for `float32`.
std::string elementOf(llvm::StringRef name);

class ModelWriter {
public:
  /// The strategy of a node; absent if it has none.
  static std::optional<Tuples> strategyOf(const Node &node, llvm::StringRef key = "strategy");

  /// An op of one result: its text from the operands to the colon, its marks, and its types. The
  /// op, and its result in the text, are called `name`.
  Value write(const std::string &name, const std::string &op, const std::string &middle,
              const std::string &types, const Shape &shape, const std::string &element = "f32");
  /// As write, of several results.
  std::vector<Value> writeMany(const std::string &name, const std::string &op,
                               const std::string &middle, const std::string &types,
                               const std::vector<Shape> &shapes);

  /// `value` repeated to `shape`, its dimensions being `dims` of it; the value itself if it has
  /// that shape. `operand` is the number of the node's operand that it is; its tuple is refused
  /// here if it cannot be that of `value`, since it might be one of what it is repeated to.
  Value repeat(const Node &node, unsigned operand, const Value &value, const Shape &shape,
               const Shape &dims);

  const std::string &text() const { return body; }

private:
  std::string body;
};

/// ` {dist.in = "((2,1),(1,4))"}`, empty where nothing is said.
std::string markText(const std::optional<Tuples> &in, const std::optional<Tuples> &out = {},
                     const std::string &others = "");

} // namespace pcc::conformance
