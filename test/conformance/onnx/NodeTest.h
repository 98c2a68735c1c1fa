// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The node tests of ONNX: folders with `model.onnx` and `test_data_set_0`, `test_data_set_1`, ….
#pragma once

#include "mlir/IR/MLIRContext.h"
#include <set>
#include <string>
#include <vector>

namespace pcc::conformance {

struct NodeTest {
  std::string name, folder;
  std::string op; ///< what it is a test of: its only operator, or the last one
  std::set<std::string> ops;
  std::set<std::string> types; ///< of elements of inputs and outputs: `f32`; `?` for no tensor

  std::string model() const { return folder + "/model.onnx"; }
  /// Whether it is the copy of another test with a function taken apart.
  bool isExpanded() const { return name.ends_with("_expanded"); }
};

/// Why the results of a test are not those of a right program; empty for all other tests.
std::string_view whyNotComparable(const NodeTest &test);

/// The tests in `folder`, by name. Folders without a readable model are left out.
std::vector<NodeTest> listNodeTests(const std::string &folder, mlir::MLIRContext &context);

} // namespace pcc::conformance
