// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node test on several ranks.
#pragma once

#include "compiler/interpret/verify/Compare.h"
#include "mlir/IR/MLIRContext.h"
#include "test/conformance/onnx/NodeTest.h"

namespace pcc::conformance {

/// Runs the test's first data set in the interpreter on 2 and 4 ranks under each legal strategy of
/// each op of its graph, all other ops following, and compares with one device. `count` receives
/// the number of strategies. A test that cannot be imported is a skipped case.
interpret::Report verifySplit(const NodeTest &test, mlir::MLIRContext &context, int64_t &count);

} // namespace pcc::conformance
