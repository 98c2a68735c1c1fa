// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a ModelProto or a tensor from a file. The file is untrusted.
#pragma once

#include "compiler/import/files/Constant.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <optional>
#include <vector>

namespace pcc::onnx {
class ModelProto;
}

namespace pcc::import {

/// Maps and parses the ONNX file `path`. A missing, truncated or corrupt file, a file that nests
/// too deeply, and a file without a graph are errors at the file's location. The error names the
/// byte and the field. Returns null after an error.
std::unique_ptr<onnx::ModelProto> readOnnxFile(llvm::StringRef path, mlir::MLIRContext &context);

/// Reads the tensor in the file `path`, a TensorProto. Errors are the same as above, and the errors
/// of TensorReader.
std::optional<Constant> readTensorFile(llvm::StringRef path, mlir::MLIRContext &context);

/// Reads the tensors in the file `path`, a SequenceProto. Errors are the same.
std::optional<std::vector<Constant>> readSequenceFile(llvm::StringRef path,
                                                      mlir::MLIRContext &context);

/// The value in a file of an OptionalProto: a tensor, a sequence, or none.
struct OptionalFile {
  std::optional<Constant> tensor;
  std::optional<std::vector<Constant>> sequence;
};

/// Reads the file `path`, an OptionalProto. Errors are the same.
std::optional<OptionalFile> readOptionalFile(llvm::StringRef path, mlir::MLIRContext &context);

} // namespace pcc::import
