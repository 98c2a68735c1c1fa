// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes ops as text, and keeps the names and shapes of their values.
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

/// Returns the text of a list, for example `[0, 1]`.
std::string toText(const Shape &numbers);
/// Returns the MLIR name of an element type, for example `f32` for `float32`.
std::string elementOf(llvm::StringRef name);

class ModelWriter {
public:
  /// Reads the strategy of a node; absent if the node has none.
  static std::optional<Tuples> strategyOf(const Node &node, llvm::StringRef key = "strategy");

  /// Writes an op with one result: `middle` is the text from the operands to the colon, with
  /// annotations; `types` follows the colon. The op, and its result in the text, are called `name`.
  Value write(const std::string &name, const std::string &op, const std::string &middle,
              const std::string &types, const Shape &shape, const std::string &element = "f32");
  /// Writes an op with several results, in the same way as write.
  std::vector<Value> writeMany(const std::string &name, const std::string &op,
                               const std::string &middle, const std::string &types,
                               const std::vector<Shape> &shapes);

  /// Repeats `value` to `shape`; the dimensions of `value` are `dims` of `shape`. Returns `value`
  /// itself if it has that shape. `operand` is the index of the node's operand. If the operand's
  /// tuple cannot be that of `value`, it is refused here, because it might be a legal tuple of the
  /// repeated value.
  Value repeat(const Node &node, unsigned operand, const Value &value, const Shape &shape,
               const Shape &dims);

  const std::string &text() const { return body; }

private:
  std::string body;
};

/// Returns the annotations' text, for example ` {dist.in = "((2,1),(1,4))"}`; empty without
/// annotations.
std::string markText(const std::optional<Tuples> &in, const std::optional<Tuples> &out = {},
                     const std::string &others = "");

} // namespace pcc::conformance
