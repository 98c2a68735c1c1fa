// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random ONNX graph as data that can be reduced. Every value holds its elements, also a result of
// a node. So a value may become an input of the graph when its node is dropped.
#pragma once

#include "compiler/import/files/onnx.pb.h"
#include "compiler/values/Tensor.h"
#include <deque>
#include <set>

namespace pcc::fuzz {

enum class Origin { Input, Initializer, Result };

struct Value {
  std::string name;
  Origin origin;
  values::Tensor data;
  /// Every correct implementation computes the same bits.
  bool isExact = true;
  /// The importer computes the value, so it may determine shapes.
  bool isKnown = false;
};

struct Graph {
  uint64_t seed = 0;
  int64_t opset = 0;
  bool hasSymbolicDims = false; ///< dimension 0 of each input has a name instead of a size
  std::deque<Value> values;     ///< references stay valid while values are added
  std::vector<onnx::NodeProto> nodes;
  std::vector<std::string> outputs;

  const Value *find(llvm::StringRef name) const;
  Value *find(llvm::StringRef name);

  /// Returns the names that a node reads or the graph returns.
  std::set<std::string> usedNames() const;
  /// Makes the model, without unused values.
  onnx::ModelProto toModel() const;
  /// Returns a text like `opset 13: Add(x0, x1) -> r2; Relu(r2) -> r3 ...`.
  std::string str() const;
};

/// Prepares `graph` for training by `output`: inputs with another number of rows become
/// initializers.
Graph withInitializers(Graph graph, const Value &output);

/// Returns ONNX's number of an element type.
int32_t onnxTypeOf(values::ElementType type);

/// Makes a tensor message with the elements in `raw_data`, or in the field of their type.
onnx::TensorProto toTensorProto(llvm::StringRef name, const values::Tensor &tensor,
                                bool isRaw = true);

} // namespace pcc::fuzz
