// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the values of a module through which no gradient flows: those that `x.detach()` returns. In
// ONNX a detach is an Identity, which the exporter's optimizer removes. Its readers in the module
// then read a value that they do not name:
//
//   fx node of the Gemm     %linear_1 = linear(%detach, %p_w, %p_b)
//   inputs of the Gemm      linear, w, b                              `linear` is detached
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace pcc::onnx {
class GraphProto;
} // namespace pcc::onnx

namespace pcc::import {

struct DetachedInputs {
  /// By first output of a node: its inputs through which no gradient flows.
  llvm::StringMap<llvm::SmallVector<int>> positions;
  /// Values of which the file does not say whether they are detached.
  std::vector<std::string> unclear;
};

/// Finds the detached inputs in `graph`, whose parameters have been restored. Only values that
/// depend on parameters count, since nothing else has a gradient.
DetachedInputs findDetachedInputs(const onnx::GraphProto &graph);

} // namespace pcc::import
