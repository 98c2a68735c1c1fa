// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an ONNX node test on several ranks.
#pragma once

#include "compiler/interpret/compare/Compare.h"
#include "mlir/IR/MLIRContext.h"
#include "test/conformance/onnx/NodeTest.h"

namespace pcc::conformance {

/// Runs the first data set of the test in the interpreter, on 2 and 4 ranks. Every legal strategy
/// of every op of the graph is tried; all other ops follow it. The results are compared with those
/// of one device. `count` is increased by the number of strategies. A test that cannot be imported
/// is a skipped case.
interpret::Report verifySplit(const NodeTest &test, mlir::MLIRContext &context, int64_t &count);

} // namespace pcc::conformance
