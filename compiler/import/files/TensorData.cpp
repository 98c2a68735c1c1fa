// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data come from `raw_data`, from external data in a mapped file, or from the typed field of the
// element type. The first two are views without a copy. External paths must stay below the model's
// folder, and ranges inside the file.
#include "compiler/import/files/TensorData.h"

#include "compiler/import/files/NarrowTypes.h"
#include "compiler/import/files/Shapes.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <bit>
#include <cstring>

using namespace mlir;

namespace pcc::import {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little endian");

/// Key of the entry in `external_data` that marks a tensor without data.
constexpr const char *absentKey = "pcc.absent";

/// Copies the low bytes of each of `values` into `data`.
template <typename Values> void packValues(const Values &values, unsigned width, TensorData &data) {
  auto bytes = std::make_shared<std::vector<char>>();
  bytes->reserve(values.size() * width);
  for (auto value : values) {
    char buffer[sizeof(value)];
    std::memcpy(buffer, &value, sizeof(value));
    bytes->insert(bytes->end(), buffer, buffer + width);
  }
  data.bytes = *bytes;
  data.owner = std::move(bytes);
}

/// Reads `tensor`'s elements from the typed field that matches its type.
void readTypedField(const onnx::TensorProto &tensor, TensorData &data) {
  unsigned width = llvm::divideCeil(data.type.getElementTypeBitWidth(), 8);
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    return packValues(tensor.float_data(), width, data);
  case onnx::TensorProto::DOUBLE:
    return packValues(tensor.double_data(), width, data);
  case onnx::TensorProto::INT64:
    return packValues(tensor.int64_data(), width, data);
  case onnx::TensorProto::UINT32:
  case onnx::TensorProto::UINT64:
    return packValues(tensor.uint64_data(), width, data);
  default:
    return packValues(tensor.int32_data(), width, data);
  }
}

bool leavesFolder(llvm::StringRef location) {
  // `//name` is not absolute, but has a root.
  return llvm::sys::path::has_root_path(location) || location.contains('\\') ||
         llvm::any_of(
             llvm::make_range(llvm::sys::path::begin(location), llvm::sys::path::end(location)),
             [](llvm::StringRef part) { return part == ".."; });
}

} // namespace

Type elementTypeOf(int32_t dataType, MLIRContext &context) {
  Builder b(&context);
  switch (dataType) {
  case onnx::TensorProto::FLOAT:
    return b.getF32Type();
  case onnx::TensorProto::FLOAT16:
    return b.getF16Type();
  case onnx::TensorProto::BFLOAT16:
    return b.getBF16Type();
  case onnx::TensorProto::DOUBLE:
    return b.getF64Type();
  case onnx::TensorProto::BOOL:
    return b.getI1Type();
  case onnx::TensorProto::INT8:
    return b.getI8Type();
  case onnx::TensorProto::INT16:
    return b.getIntegerType(16);
  case onnx::TensorProto::INT32:
    return b.getI32Type();
  case onnx::TensorProto::INT64:
    return b.getI64Type();
  case onnx::TensorProto::UINT8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case onnx::TensorProto::UINT16:
    return b.getIntegerType(16, /*isSigned=*/false);
  case onnx::TensorProto::UINT32:
    return b.getIntegerType(32, /*isSigned=*/false);
  case onnx::TensorProto::UINT64:
    return b.getIntegerType(64, /*isSigned=*/false);
  default:
    return narrowTypeOf(dataType, context);
  }
}

ElementsAttr TensorData::toResource(llvm::StringRef name) const {
  RankedTensorType held = holderOf(type);
  if (isAbsent()) {
    auto &manager = DenseResourceElementsHandle::getManagerInterface(type.getContext());
    return DenseResourceElementsAttr::get(held, manager.insert(name));
  }
  uint64_t alignment = llvm::divideCeil(held.getElementTypeBitWidth(), 8);
  if (!llvm::isAddrAligned(llvm::Align(alignment), bytes.data()))
    return DenseResourceElementsAttr::get(
        held, name, HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignment));
  AsmResourceBlob blob(
      bytes, alignment, [owner = owner](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(held, name, std::move(blob));
}

RankedTensorType TensorReader::readType(const onnx::TensorProto &tensor, ErrorStarter error) {
  Type elementType = elementTypeOf(tensor.data_type(), context);
  if (!elementType) {
    error() << "elements of ONNX type number " << tensor.data_type() << " are not supported";
    return {};
  }
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  if (!isAddressable(shape)) {
    error() << "field 'dims': sizes " << formatShape(shape) << " are negative or overflow";
    return {};
  }
  return RankedTensorType::get(shape, elementType);
}

std::optional<TensorData> TensorReader::read(const onnx::TensorProto &tensor, ErrorStarter error) {
  TensorData data{readType(tensor, error), {}, {}};
  if (!data.type)
    return std::nullopt;
  uint64_t size = storedBytes(data.type);
  llvm::StringRef field = "raw_data";
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    field = "external_data";
    if (!readExternal(tensor, data, size, error))
      return std::nullopt;
  } else if (tensor.has_raw_data()) {
    data.bytes = {tensor.raw_data().data(), tensor.raw_data().size()};
    data.owner = model;
  } else {
    field = "typed data";
    readTypedField(tensor, data);
  }
  if (data.bytes.size() != size) {
    error() << "field '" << field << "': expected " << size << " bytes for shape "
            << formatShape(data.type.getShape()) << ", got " << data.bytes.size();
    return std::nullopt;
  }
  if (isNarrow(data.type.getElementType())) {
    auto elements = widen(data.type, data.bytes);
    data.bytes = *elements;
    data.owner = std::move(elements);
  }
  return data;
}

void markAbsent(onnx::TensorProto &tensor) {
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  tensor.add_external_data()->set_key(absentKey);
}

bool TensorReader::isAbsent(const onnx::TensorProto &tensor) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
    return false;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == absentKey)
      return true;
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, entry.value());
    if (entry.key() == "location" && !entry.value().empty() && !leavesFolder(entry.value()))
      return !llvm::sys::fs::exists(path);
  }
  return false;
}

std::optional<TensorData> TensorReader::readTypeOnly(const onnx::TensorProto &tensor,
                                                     ErrorStarter error) {
  TensorData data{readType(tensor, error), {}, {}};
  return data.type ? std::optional(std::move(data)) : std::nullopt;
}

std::optional<TensorReader::External> TensorReader::readReference(const onnx::TensorProto &tensor,
                                                                  ErrorStarter error) {
  External external;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    uint64_t number = 0;
    bool isNumber = !llvm::StringRef(entry.value()).getAsInteger(10, number);
    if (entry.key() == "location")
      external.location = entry.value();
    else if (entry.key() == "offset" && isNumber)
      external.offset = number;
    else if (entry.key() == "length" && isNumber)
      external.length = number;
    else if (entry.key() == "offset" || entry.key() == "length") {
      error() << "external data: expected a number of bytes as '" << entry.key() << "', got '"
              << entry.value() << "'";
      return std::nullopt;
    }
  }
  if (external.location.empty()) {
    error() << "external data: expected a file name under the key 'location'";
    return std::nullopt;
  }
  if (leavesFolder(external.location)) {
    error() << "external data: expected a path inside the model's folder, got '"
            << external.location << "'";
    return std::nullopt;
  }
  return external;
}

std::shared_ptr<llvm::MemoryBuffer> TensorReader::mapFile(llvm::StringRef location,
                                                          ErrorStarter error) {
  auto [entry, isNew] = mapped.try_emplace(location);
  if (!isNew && entry->second)
    return entry->second;
  auto buffer = mapBeneath(folder, location);
  if (buffer)
    return entry->second = std::move(*buffer);
  if (buffer.getError() == std::errc::too_many_symbolic_link_levels)
    error() << "external data: expected a file below the model's folder, got the symbolic link '"
            << location << "'; copy the file that it names";
  else if (buffer.getError() == std::errc::not_supported ||
           buffer.getError() == std::errc::no_such_file_or_directory)
    error() << "external data: '" << location << "' is not a file beside the model";
  else
    error() << "external data: cannot read '" << location << "': " << buffer.getError().message();
  return nullptr;
}

bool TensorReader::readExternal(const onnx::TensorProto &tensor, TensorData &data, uint64_t size,
                                ErrorStarter error) {
  auto external = readReference(tensor, error);
  auto buffer = external ? mapFile(external->location, error) : nullptr;
  if (!buffer)
    return false;
  uint64_t available = buffer->getBufferSize();
  uint64_t length = external->length.value_or(size);
  if (external->offset > available || length > available - external->offset) {
    error() << "external data: expected " << length << " bytes at offset " << external->offset
            << " of '" << external->location << "', which has " << available << " bytes";
    return false;
  }
  data.bytes = {buffer->getBufferStart() + external->offset, static_cast<size_t>(length)};
  data.owner = std::move(buffer);
  return true;
}

} // namespace pcc::import
