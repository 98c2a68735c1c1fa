// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random ONNX graph as data that can be made smaller. Every value holds its elements, also those
// that nodes compute: so a value may become an input of the graph when its node is dropped.
#pragma once

#include "compiler/import/onnx.pb.h"
#include "compiler/interpret/Tensor.h"
#include <deque>
#include <set>

namespace pcc::fuzz {

enum class Origin { Input, Initializer, Result };

struct Value {
  std::string name;
  Origin origin;
  interpret::Tensor data;
  /// Every right implementation computes these very bits.
  bool isExact = true;
  /// The importer computes it: it may decide about shapes.
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

  /// The names that a node reads or the graph returns.
  std::set<std::string> usedNames() const;
  /// The model without values that nobody uses.
  onnx::ModelProto toModel() const;
  /// `opset 13: Add(x0, x1) -> r2; Relu(r2) -> r3 ...`
  std::string str() const;
};

/// `graph` as a model to train by `output`: inputs without as many rows as that become
/// initializers.
Graph withInitializers(Graph graph, const Value &output);

/// The number by which ONNX knows an element type.
int32_t onnxTypeOf(interpret::ElementType type);

/// A tensor with the elements in `raw_data`, or in the field of their type.
onnx::TensorProto toTensorProto(llvm::StringRef name, const interpret::Tensor &tensor,
                                bool isRaw = true);

} // namespace pcc::fuzz
