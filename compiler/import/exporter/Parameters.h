// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the initializers that are parameters of the model. ONNX does not mark them: weights,
// buffers, shapes and lifted literals are stored alike.
#pragma once

#include "llvm/ADT/StringSet.h"
#include <cstdint>

namespace pcc::onnx {
class GraphProto;
class NodeProto;
class TensorProto;
} // namespace pcc::onnx

namespace pcc::import {

class ExportedModule;
class TensorReader;

/// Return whether parameters can have this type of ONNX (TensorProto.DataType), or that of
/// `tensor`: whether it is a float type.
bool canBeTrained(int32_t type);
bool canBeTrained(const onnx::TensorProto &tensor);

/// Names of the tensors that are parameters, all of floating-point type:
///
/// * trained: initializers from which a gradient can flow to an output of the graph. If the
///   exporter lists the parameters of the module: the listed parameters and constants folded from
///   them, including scalars. Otherwise: initializers with at least one dimension, but no mask (a
///   tensor of f32 or f64 with infinities) and no table of angles. The scalar that scales attention
///   is thereby excluded.
/// * states: running statistics with at least one dimension, in initializers or in `Constant`
///   nodes. Training changes them without a gradient.
struct ParameterNames {
  llvm::StringSet<> trained, states; ///< disjoint
};
ParameterNames findParameters(const onnx::GraphProto &graph, int64_t opset,
                              const ExportedModule &exported, TensorReader &reader);

/// Returns the values that depend on an input of the graph, not only on initializers and shapes.
llvm::StringSet<> findComputed(const onnx::GraphProto &graph);

/// Calls `visit` for each name that a node reads, also inside its bodies.
void forEachRead(const onnx::NodeProto &node, llvm::function_ref<void(const std::string &)> visit);

/// Returns the tensor that a `Constant` node holds in its attribute `value`; null if it has none.
const onnx::TensorProto *findConstantTensor(const onnx::NodeProto &node);

} // namespace pcc::import
