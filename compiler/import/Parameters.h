// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a model's initializers are its parameters. ONNX does not say: weights, buffers, shapes
// and lifted literals are stored alike.
#pragma once

#include "llvm/ADT/StringSet.h"
#include <cstdint>

namespace pcc::onnx {
class GraphProto;
}

namespace pcc::import {

/// The names of the initializers that are parameters: those of floating-point type and at least one
/// dimension
/// * that are trained, from which a gradient can flow to an output of the graph: no mask that is
///   only compared, no table of shapes or angles, no scalar that scales attention; and of which
///   the exporter does not say that it is a buffer of the module, or computed from buffers alone;
/// * that training changes all the same: running statistics.
struct ParameterNames {
  llvm::StringSet<> trained, states; ///< disjoint
};
ParameterNames findParameters(const onnx::GraphProto &graph, int64_t opset);

} // namespace pcc::import
