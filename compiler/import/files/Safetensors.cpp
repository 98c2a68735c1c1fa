// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the file, parses its header as JSON, and gives each tensor a view into the mapping. Tensors
// sorted by address must then cover the data exactly. An index is read as a list of such files,
// each filtered by the names that the index gives it.
#include "compiler/import/files/Safetensors.h"

#include "compiler/import/files/Locations.h"
#include "compiler/import/files/Nesting.h"
#include "compiler/import/files/Shapes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Safetensors.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace pcc::import {
namespace {

constexpr uint64_t lengthBytes = abi::safetensorsLengthBytes;

/// Returns the element type of a `dtype`; null if there is none.
Type elementTypeNamed(llvm::StringRef dtype, MLIRContext &context) {
  auto type = abi::safetensorsType(std::string_view(dtype));
  return type ? parseType(llvm::StringRef(abi::elementName(*type)), &context) : Type();
}

class Reader {
public:
  Reader(llvm::StringRef path, MLIRContext &context)
      : loc(fileLocation(path, context)), path(path) {}

  std::optional<std::vector<NamedTensor>> read();

private:
  bool mapFile();
  std::optional<llvm::json::Value> readHeader();
  std::optional<NamedTensor> readTensor(llvm::StringRef name, const llvm::json::Value &entry);
  RankedTensorType readType(llvm::StringRef name, const llvm::json::Object &entry);
  bool checkCoverage(const std::vector<NamedTensor> &tensors);

  Location loc;
  llvm::StringRef path;
  std::shared_ptr<llvm::MemoryBuffer> buffer;
  llvm::StringRef data; ///< bytes after the header
};

bool Reader::mapFile() {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code error = file.getError()) {
    emitError(loc) << "cannot read the file: " << error.message();
    return false;
  }
  buffer = std::move(*file);
  return true;
}

std::optional<llvm::json::Value> Reader::readHeader() {
  llvm::StringRef bytes = buffer->getBuffer();
  uint64_t length = bytes.size() < lengthBytes ? 0 : llvm::support::endian::read64le(bytes.data());
  uint64_t available = bytes.size() < lengthBytes ? 0 : bytes.size() - lengthBytes;
  uint64_t longest = std::min(available, abi::maxSafetensorsHeader);
  if (length == 0 || length > longest) {
    bool isMindSpore = path.ends_with(".ckpt");
    emitError(loc) << "not a safetensors file: expected a header of 1 to " << longest
                   << " bytes after byte " << lengthBytes << ", got " << length << "; "
                   << (isMindSpore ? "'pcc checkpoint convert' makes one of a file of MindSpore, "
                                   : "")
                   << "in torch 'safetensors.torch.save_file' writes such files";
    return std::nullopt;
  }
  auto header = parseJson(bytes.substr(lengthBytes, length));
  if (!header) {
    emitError(loc) << "the header is not JSON: " << llvm::toString(header.takeError());
    return std::nullopt;
  }
  if (!header->getAsObject()) {
    emitError(loc) << "expected the header to be a JSON object";
    return std::nullopt;
  }
  data = bytes.drop_front(lengthBytes + length);
  return std::move(*header);
}

RankedTensorType Reader::readType(llvm::StringRef name, const llvm::json::Object &entry) {
  auto typeName = entry.getString("dtype");
  Type elementType = typeName ? elementTypeNamed(*typeName, *loc.getContext()) : Type();
  const llvm::json::Array *sizes = entry.getArray("shape");
  if (!elementType || !sizes) {
    emitError(loc) << "tensor '" << name << "': expected a supported 'dtype' and a 'shape'";
    return {};
  }
  Shape shape;
  for (const llvm::json::Value &size : *sizes)
    shape.push_back(size.getAsInteger().value_or(-1));
  if (!isAddressable(shape)) {
    emitError(loc) << "tensor '" << name << "': sizes " << formatShape(shape)
                   << " are negative or overflow";
    return {};
  }
  return RankedTensorType::get(shape, elementType);
}

std::optional<NamedTensor> Reader::readTensor(llvm::StringRef name,
                                              const llvm::json::Value &value) {
  const llvm::json::Object *entry = value.getAsObject();
  if (!entry) {
    emitError(loc) << "tensor '" << name << "': expected a JSON object";
    return std::nullopt;
  }
  RankedTensorType type = readType(name, *entry);
  if (!type)
    return std::nullopt;
  const llvm::json::Array *offsets = entry->getArray("data_offsets");
  auto begin = offsets && offsets->size() == 2 ? (*offsets)[0].getAsUINT64() : std::nullopt;
  auto end = begin ? (*offsets)[1].getAsUINT64() : std::nullopt;
  if (!end || *begin > *end || *end > data.size()) {
    emitError(loc) << "tensor '" << name << "': expected 'data_offsets' in [0, " << data.size()
                   << "]";
    return std::nullopt;
  }
  uint64_t size = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (*end - *begin != size) {
    emitError(loc) << "tensor '" << name << "': expected " << size << " bytes for shape "
                   << formatShape(type.getShape()) << ", got " << *end - *begin;
    return std::nullopt;
  }
  llvm::StringRef bytes = data.slice(*begin, *end);
  return NamedTensor{name.str(), TensorData{type, {bytes.data(), bytes.size()}, buffer}, {}};
}

/// Checks that the tensors cover the data exactly, without gaps or overlaps.
bool Reader::checkCoverage(const std::vector<NamedTensor> &tensors) {
  auto byPlace = llvm::map_to_vector(tensors, [](const NamedTensor &tensor) { return &tensor; });
  llvm::sort(byPlace, [](const NamedTensor *x, const NamedTensor *y) {
    return std::pair(x->data.bytes.data(), x->data.bytes.size()) <
           std::pair(y->data.bytes.data(), y->data.bytes.size());
  });
  const char *next = data.data();
  for (const NamedTensor *tensor : byPlace) {
    if (tensor->data.bytes.data() != next) {
      emitError(loc) << "tensor '" << tensor->name << "': expected its data at byte "
                     << next - data.data() << " after the header, got byte "
                     << tensor->data.bytes.data() - data.data();
      return false;
    }
    next += tensor->data.bytes.size();
  }
  if (next == data.end())
    return true;
  emitError(loc) << "expected " << next - data.data() << " bytes after the header, got "
                 << data.size();
  return false;
}

/// Adds the names of tensors that the metadata map to tensors of the file. Other metadata may be
/// anything.
void addAliases(std::vector<NamedTensor> &tensors, const llvm::json::Object &metadata) {
  llvm::StringMap<NamedTensor *> known;
  for (NamedTensor &tensor : tensors)
    known[tensor.name] = &tensor;
  for (const auto &[alias, value] : metadata) {
    std::optional<llvm::StringRef> name = value.getAsString();
    NamedTensor *tensor = name ? known.lookup(*name) : nullptr;
    if (tensor && !known.contains(llvm::StringRef(alias)))
      tensor->aliases.push_back(alias.str());
  }
}

std::optional<std::vector<NamedTensor>> Reader::read() {
  auto header = mapFile() ? readHeader() : std::nullopt;
  if (!header)
    return std::nullopt;
  std::vector<NamedTensor> tensors;
  for (const auto &[key, value] : *header->getAsObject()) {
    if (std::string_view(llvm::StringRef(key)) == abi::safetensorsMetadata)
      continue;
    auto tensor = readTensor(key, value);
    if (!tensor)
      return std::nullopt;
    tensors.push_back(std::move(*tensor));
  }
  if (!checkCoverage(tensors))
    return std::nullopt;
  llvm::StringRef key(abi::safetensorsMetadata);
  if (const llvm::json::Object *metadata = header->getAsObject()->getObject(key))
    addAliases(tensors, *metadata);
  return tensors;
}

/// Reads an index: {"weight_map": {TENSOR: FILE, …}}. Returns the files, and the tensors of each.
std::optional<llvm::MapVector<llvm::StringRef, llvm::SmallVector<llvm::StringRef>>>
readWeightMap(const llvm::json::Value &index, Location loc) {
  const llvm::json::Object *object = index.getAsObject();
  const llvm::json::Object *map = object ? object->getObject("weight_map") : nullptr;
  if (!map) {
    emitError(loc) << "expected an index with an object 'weight_map'";
    return std::nullopt;
  }
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<llvm::StringRef>> files;
  for (const auto &[tensor, file] : *map) {
    std::optional<llvm::StringRef> name = file.getAsString();
    if (!name || name->empty() || llvm::sys::path::filename(*name) != *name || *name == "..") {
      emitError(loc) << "tensor '" << llvm::StringRef(tensor)
                     << "': expected the name of a file beside the index";
      return std::nullopt;
    }
    files[*name].push_back(tensor);
  }
  return files;
}

std::optional<std::vector<NamedTensor>> readIndexed(llvm::StringRef path, MLIRContext &context) {
  Location loc = fileLocation(path, context);
  auto file = llvm::MemoryBuffer::getFile(path);
  if (std::error_code error = file.getError()) {
    emitError(loc) << "cannot read the file: " << error.message();
    return std::nullopt;
  }
  auto index = parseJson((*file)->getBuffer());
  if (!index) {
    emitError(loc) << "the index is not JSON: " << llvm::toString(index.takeError());
    return std::nullopt;
  }
  auto files = readWeightMap(*index, loc);
  if (!files)
    return std::nullopt;
  std::vector<NamedTensor> all;
  for (const auto &[name, expected] : *files) {
    llvm::SmallString<128> beside(llvm::sys::path::parent_path(path));
    llvm::sys::path::append(beside, name);
    // Not readSafetensors: an index may name itself.
    auto tensors = Reader(beside, context).read();
    if (!tensors)
      return std::nullopt;
    for (llvm::StringRef tensor : expected)
      if (llvm::none_of(*tensors, [&](const NamedTensor &own) { return own.name == tensor; })) {
        emitError(loc) << "expected tensor '" << tensor << "' in '" << name << "', got none";
        return std::nullopt;
      }
    for (NamedTensor &tensor : *tensors)
      if (llvm::is_contained(expected, tensor.name))
        all.push_back(std::move(tensor));
  }
  return all;
}

} // namespace

std::optional<std::vector<NamedTensor>> readSafetensors(llvm::StringRef path,
                                                        MLIRContext &context) {
  return path.ends_with(".json") ? readIndexed(path, context) : Reader(path, context).read();
}

} // namespace pcc::import
