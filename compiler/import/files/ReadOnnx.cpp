// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protobuf parses the mapped bytes with a limit on nesting. It gives no position of an error. So
// after a failure findWireFault (WireFault.cpp) scans the bytes again and names the first fault.
#include "compiler/import/files/ReadOnnx.h"

#include "compiler/import/files/Locations.h"
#include "compiler/import/files/TensorData.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

/// Maximum nesting of messages. Graphs nest through attributes of If and Loop, with four messages
/// per level; real models stay below 40.
constexpr int maxDepth = 100;

/// Limit of the protobuf parser, whose sizes are `int`.
constexpr uint64_t maxBytes = std::numeric_limits<int>::max();

bool parse(llvm::StringRef bytes, google::protobuf::Message &message) {
  google::protobuf::LogSilencer silence;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(maxDepth);
  return message.ParseFromCodedStream(&stream);
}

void reportFault(llvm::StringRef bytes, const google::protobuf::Descriptor &type, Location loc) {
  auto fault = findWireFault(bytes, type, maxDepth);
  if (!fault)
    emitError(loc) << "not an ONNX file: its " << bytes.size() << " bytes are not a "
                   << type.name();
  else
    emitError(loc) << "truncated or corrupt ONNX file: '" << fault->field << "' at byte "
                   << fault->byte << ": " << fault->what;
}

/// Maps and parses the file `path` as `message`. Returns false after an error.
bool readMessage(llvm::StringRef path, google::protobuf::Message &message, MLIRContext &context) {
  Location loc = fileLocation(path, context);
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code error = buffer.getError()) {
    emitError(loc) << "cannot read the file: " << error.message();
    return false;
  }
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() > maxBytes) {
    emitError(loc) << "expected at most " << maxBytes << " bytes, got " << bytes.size()
                   << "; store the weights as external data";
    return false;
  }
  if (parse(bytes, message))
    return true;
  reportFault(bytes, *message.GetDescriptor(), loc);
  return false;
}

} // namespace

std::unique_ptr<onnx::ModelProto> readOnnxFile(llvm::StringRef path, MLIRContext &context) {
  auto model = std::make_unique<onnx::ModelProto>();
  if (!readMessage(path, *model, context))
    return nullptr;
  if (model->has_graph())
    return model;
  emitError(fileLocation(path, context))
      << "the file has no field 'graph': it is not an ONNX model, or it was truncated";
  return nullptr;
}

static std::optional<Constant> decode(const onnx::TensorProto &tensor, llvm::StringRef path,
                                      MLIRContext &context) {
  TensorReader reader(nullptr, llvm::sys::path::parent_path(path), context);
  auto data = reader.read(tensor, [&] { return emitError(fileLocation(path, context)); });
  return data ? std::optional(decodeConstant(data->type, data->bytes)) : std::nullopt;
}

std::optional<Constant> readTensorFile(llvm::StringRef path, MLIRContext &context) {
  onnx::TensorProto tensor;
  return readMessage(path, tensor, context) ? decode(tensor, path, context) : std::nullopt;
}

static std::optional<std::vector<Constant>> decode(const onnx::SequenceProto &sequence,
                                                   llvm::StringRef path, MLIRContext &context) {
  std::vector<Constant> values;
  for (const onnx::TensorProto &tensor : sequence.tensor_values()) {
    auto value = decode(tensor, path, context);
    if (!value)
      return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

std::optional<std::vector<Constant>> readSequenceFile(llvm::StringRef path, MLIRContext &context) {
  onnx::SequenceProto sequence;
  return readMessage(path, sequence, context) ? decode(sequence, path, context) : std::nullopt;
}

std::optional<OptionalFile> readOptionalFile(llvm::StringRef path, MLIRContext &context) {
  onnx::OptionalProto optional;
  if (!readMessage(path, optional, context))
    return std::nullopt;
  OptionalFile result;
  if (optional.has_tensor_value())
    result.tensor = decode(optional.tensor_value(), path, context);
  if (optional.has_sequence_value())
    result.sequence = decode(optional.sequence_value(), path, context);
  bool isRead = bool(result.tensor) == optional.has_tensor_value() &&
                bool(result.sequence) == optional.has_sequence_value();
  return isRead ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace pcc::import
