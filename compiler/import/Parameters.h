// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a model's initializers are its parameters. ONNX does not say: weights, buffers, shapes
// and lifted literals are stored alike.
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

/// Returns whether parameters can have the element type of `tensor`. Constants alone can be f64.
bool canBeTrained(const onnx::TensorProto &tensor);

/// The names of the tensors that are parameters, all of floating-point type:
/// * trained: initializers from which a gradient can flow to an output of the graph. Where the
///   exporter lists the parameters of the module, those and what it folded of them, scalars too.
///   Else all with at least one dimension: no mask, no table of angles, no scalar that scales
///   attention.
/// * states, which training changes all the same: running statistics with at least one dimension,
///   in initializers or in `Constant` nodes.
struct ParameterNames {
  llvm::StringSet<> trained, states; ///< disjoint
};
ParameterNames findParameters(const onnx::GraphProto &graph, int64_t opset,
                              const ExportedModule &exported);

/// The tensor that a `Constant` node holds in its attribute `value`; null if it has none.
const onnx::TensorProto *findConstantTensor(const onnx::NodeProto &node);

} // namespace pcc::import
