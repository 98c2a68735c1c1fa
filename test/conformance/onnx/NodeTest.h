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
  std::string op; ///< the tested operator: the only one of the graph, or its last one
  std::set<std::string> ops;
  std::set<std::string> types; ///< element types of inputs and outputs: `f32`; `?` for a non-tensor

  std::string model() const { return folder + "/model.onnx"; }
  /// Returns true if the test is a copy of another test with its function expanded into nodes.
  bool isExpanded() const { return name.ends_with("_expanded"); }
};

/// Returns why the stored results of a test cannot be compared; empty for comparable tests.
std::string_view whyNotComparable(const NodeTest &test);

/// Lists the tests in `folder`, sorted by name. Folders without a readable model are left out.
std::vector<NodeTest> listNodeTests(const std::string &folder, mlir::MLIRContext &context);

} // namespace pcc::conformance
