// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/onnx/NodeTest.h"

#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/TensorData.h"
#include "compiler/import/files/onnx.pb.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

namespace pcc::conformance {

std::string_view whyNotComparable(const NodeTest &test) {
  static constexpr std::string_view random = "its numbers are another generator's";
  static const std::map<std::string_view, std::string_view> reasons = {
      {"test_cast_FLOAT_to_BFLOAT16", "the bits of bf16 are stored as integers"},
      {"test_training_dropout", random},
      {"test_training_dropout_default", random},
      {"test_training_dropout_default_mask", random},
      {"test_training_dropout_mask", random},
  };
  auto reason = reasons.find(test.name);
  return reason == reasons.end() ? "" : reason->second;
}

static std::string typeName(const onnx::ValueInfoProto &info, mlir::MLIRContext &context) {
  if (!info.type().has_tensor_type())
    return "?";
  int32_t number = info.type().tensor_type().elem_type();
  mlir::Type type = import::elementTypeOf(number, context);
  if (!type)
    return "type " + std::to_string(number);
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static NodeTest readNodeTest(const std::string &folder, const onnx::GraphProto &graph,
                             mlir::MLIRContext &context) {
  NodeTest test{llvm::sys::path::filename(folder).str(), folder, "none", {}, {}};
  for (const onnx::NodeProto &node : graph.node()) {
    test.op = node.op_type();
    test.ops.insert(node.op_type());
  }
  for (const auto &infos : {graph.input(), graph.output()})
    for (const onnx::ValueInfoProto &info : infos)
      test.types.insert(typeName(info, context));
  return test;
}

std::vector<NodeTest> listNodeTests(const std::string &folder, mlir::MLIRContext &context) {
  std::vector<NodeTest> tests;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (llvm::sys::fs::exists(it->path() + "/model.onnx"))
      if (auto model = import::readOnnxFile(it->path() + "/model.onnx", context))
        tests.push_back(readNodeTest(it->path(), model->graph(), context));
  llvm::sort(tests, [](const NodeTest &a, const NodeTest &b) { return a.name < b.name; });
  return tests;
}

} // namespace pcc::conformance
