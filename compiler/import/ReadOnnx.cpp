// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/ReadOnnx.h"

#include "compiler/import/Locations.h"
#include "compiler/import/WireFormat.h"
#include "compiler/import/onnx.pb.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

/// Graphs nest through attributes of If and Loop, four messages a level; real models stay below 40.
constexpr int maxDepth = 100;

/// The parser's own limit: its sizes are `int`.
constexpr uint64_t maxBytes = std::numeric_limits<int>::max();

bool parse(llvm::StringRef bytes, onnx::ModelProto &model) {
  google::protobuf::LogSilencer silence;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(maxDepth);
  return model.ParseFromCodedStream(&stream);
}

void reportFault(llvm::StringRef bytes, Location loc) {
  auto fault = findWireFault(bytes, *onnx::ModelProto::descriptor(), maxDepth);
  if (!fault)
    emitError(loc) << "not an ONNX file: its " << bytes.size() << " bytes are not a ModelProto";
  else
    emitError(loc) << "truncated or corrupt ONNX file: '" << fault->field << "' at byte "
                   << fault->byte << ": " << fault->what;
}

} // namespace

std::unique_ptr<onnx::ModelProto> readOnnxFile(llvm::StringRef path, MLIRContext &context) {
  Location loc = fileLocation(path, context);
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code error = buffer.getError()) {
    emitError(loc) << "cannot read the file: " << error.message();
    return nullptr;
  }
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() > maxBytes) {
    emitError(loc) << "expected at most " << maxBytes << " bytes, got " << bytes.size()
                   << "; store the weights as external data";
    return nullptr;
  }
  auto model = std::make_unique<onnx::ModelProto>();
  if (!parse(bytes, *model)) {
    reportFault(bytes, loc);
    return nullptr;
  }
  if (!model->has_graph()) {
    emitError(loc) << "the file has no field 'graph': it is not an ONNX model, or it was truncated";
    return nullptr;
  }
  return model;
}

} // namespace pcc::import
