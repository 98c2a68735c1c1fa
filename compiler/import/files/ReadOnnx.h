// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a ModelProto or a tensor from a file. The file is untrusted.
#pragma once

#include "compiler/import/files/Constant.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace google::protobuf {
class Descriptor;
}

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

//===-- WireFault.cpp -------------------------------------------------------------------------===//

// Locates the fault in a malformed protobuf file. The protobuf library's parser only reports
// success or failure. After a failure, ReadOnnx walks over the same bytes to find the field, the
// byte, and the kind of fault.

/// Position and kind of a fault in bytes that are not a message.
struct WireFault {
  uint64_t byte = 0; ///< offset in the file of the field's tag or length
  std::string field; ///< path of field names: `graph.node[3].input[0]`
  std::string what;  ///< description of the fault for a diagnostic
};

/// Returns the first fault in `bytes`, which should encode a message of type `descriptor`. Messages
/// nested deeper than `depth` are a fault. Returns nothing if the wire format is valid.
std::optional<WireFault> findWireFault(llvm::StringRef bytes,
                                       const google::protobuf::Descriptor &descriptor, int depth);

//===-- TruncatedFiles.cpp --------------------------------------------------------------------===//

// Files are mapped into memory. If another process shortens a mapped file, reading beyond its new
// end raises SIGBUS.

/// Makes the process end with exit code 1 and one line instead of a crash report if a mapped file
/// becomes shorter. Call it after other signal handlers are installed. `tool` is the name in front
/// of the message; it must live as long as the process.
void reportTruncatedFiles(const char *tool);

} // namespace pcc::import
