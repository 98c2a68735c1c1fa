// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a path to a parsed ModelProto, or to a tensor. The file is untrusted.
#pragma once

#include "compiler/import/Constant.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include <memory>

namespace pcc::onnx {
class ModelProto;
}

namespace pcc::import {

/// Maps and parses the ONNX file `path`. A missing, truncated or corrupt file, one that nests too
/// deeply and one without a graph are errors at the file's location, naming the byte and the field.
/// Returns null after an error.
std::unique_ptr<onnx::ModelProto> readOnnxFile(llvm::StringRef path, mlir::MLIRContext &context);

/// The tensor in the file `path`, a TensorProto; the same errors, and those of TensorReader.
std::optional<Constant> readTensorFile(llvm::StringRef path, mlir::MLIRContext &context);

} // namespace pcc::import
