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

/// The names of the initializers that are trained: those of floating-point type and at least one
/// dimension from which a gradient can flow to an output of the graph. A mask that is only
/// compared, a table of shapes and a scalar that scales attention are constants.
llvm::StringSet<> findParameters(const onnx::GraphProto &graph, int64_t opset);

} // namespace pcc::import
