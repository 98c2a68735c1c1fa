// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/import/ImportFixture.h"

#include "compiler/import/files/onnx.pb.h"
#include "llvm/Support/FileSystem.h"
#include <google/protobuf/text_format.h>

namespace pcc::import {

TemporaryFile::TemporaryFile(llvm::StringRef suffix, llvm::StringRef bytes) {
  llvm::SmallString<128> path;
  int descriptor = -1;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("pcc-import", suffix, descriptor, path));
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << bytes;
  name = std::string(path);
}

TemporaryFile::~TemporaryFile() { llvm::sys::fs::remove(name); }

std::string smallModel() {
  onnx::ModelProto model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    ir_version: 8
    opset_import { version: 16 }
    graph {
      node { input: "x" output: "s" name: "shape" op_type: "Shape" }
      node { input: "x" input: "s" output: "r" name: "reshape" op_type: "Reshape" }
      node {
        input: "r" input: "w" output: "g" name: "gemm" op_type: "Gemm"
        attribute { name: "transB" i: 1 type: INT }
        metadata_props {
          key: "pkg.torch.onnx.stack_trace"
          value: "  File \"train.py\", line 53, in forward\n    y = f(x)\n  File \"linear.py\", line 7, in forward\n"
        }
      }
      node { input: "g" output: "y" name: "relu" op_type: "Relu" }
      initializer {
        name: "w" data_type: 1 dims: 2 dims: 3
        float_data: [1, 2, 3, 4, 5, 6]
      }
      input {
        name: "x"
        type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 3 } } } }
      }
      output { name: "y" }
    })",
                                                            &model));
  return model.SerializeAsString();
}

} // namespace pcc::import
