// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the fields of the messages, since the values of tensors need no copy then. MindSpore
// writes a tensor above 512 MiB as several values of one name, one behind the other.

#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"

#include "runtime/abi/ElementTypes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <zlib.h>

namespace pcc::runtime {
namespace {

/// A field of a message: a number, or bytes.
struct WireField {
  uint32_t number = 0;
  bool isNumber = false;
  uint64_t value = 0;
  std::string_view bytes;
};

/// Reads the fields of a message one by one.
class WireReader {
public:
  explicit WireReader(std::string_view bytes) : rest(bytes) {}

  /// Returns whether the fields so far were whole.
  bool ok() const { return isWhole; }

  /// Returns the next field; nothing at the end and after a fault.
  std::optional<WireField> next() {
    if (rest.empty() || !isWhole)
      return std::nullopt;
    WireField field;
    uint64_t tag = readNumber();
    field.number = uint32_t(tag >> 3);
    switch (tag & 7) {
    case 0:
      field.isNumber = true;
      field.value = readNumber();
      break;
    case 1:
      field.bytes = take(8);
      break;
    case 2:
      field.bytes = take(readNumber());
      break;
    case 5:
      field.bytes = take(4);
      break;
    default:
      isWhole = false;
    }
    isWhole &= field.number != 0;
    return isWhole ? std::optional(field) : std::nullopt;
  }

  /// Returns a number of seven bits a byte, the lowest first.
  uint64_t readNumber() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      auto byte = uint8_t(rest.front());
      rest.remove_prefix(1);
      number |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return number;
    }
    isWhole = false;
    return 0;
  }

  bool isAtEnd() const { return rest.empty(); }

private:
  std::string_view take(uint64_t count) {
    isWhole &= count <= rest.size();
    if (!isWhole)
      return {};
    std::string_view bytes = rest.substr(0, count);
    rest.remove_prefix(count);
    return bytes;
  }

  std::string_view rest;
  bool isWhole = true;
};

/// A value of the file.
struct CkptValue {
  std::string_view name, type, content;
  std::vector<int64_t> shape;
  bool isMap = false;
};

bool readShape(const WireField &field, std::vector<int64_t> &shape) {
  if (field.isNumber) {
    shape.push_back(int64_t(field.value));
    return true;
  }
  WireReader packed(field.bytes);
  while (!packed.isAtEnd() && packed.ok())
    shape.push_back(int64_t(packed.readNumber()));
  return packed.ok();
}

bool readTensor(std::string_view bytes, CkptValue &value) {
  WireReader fields(bytes);
  while (std::optional<WireField> field = fields.next()) {
    if (field->number == 1 && !readShape(*field, value.shape))
      return false;
    if (field->number == 2)
      value.type = field->bytes;
    if (field->number == 3)
      value.content = field->bytes;
  }
  return fields.ok();
}

std::optional<CkptValue> readValue(std::string_view bytes) {
  CkptValue value;
  WireReader fields(bytes);
  while (std::optional<WireField> field = fields.next()) {
    if (field->number == 1)
      value.name = field->bytes;
    if (field->number == 2 && !readTensor(field->bytes, value))
      return std::nullopt;
    value.isMap |= field->number == 3;
  }
  if (!fields.ok() || value.name.empty())
    return std::nullopt;
  return value;
}

struct TypeName {
  std::string_view name;
  abi::ElementType type;
};

constexpr std::array<TypeName, 15> typeNames = {{
    {"Float32", abi::F32},
    {"Float16", abi::F16},
    {"BFloat16", abi::BF16},
    {"Float64", abi::F64},
    {"Bool", abi::BOOL},
    {"Int8", abi::I8},
    {"Int16", abi::I16},
    {"Int32", abi::I32},
    {"Int64", abi::I64},
    {"UInt8", abi::U8},
    {"UInt16", abi::U16},
    {"UInt32", abi::U32},
    {"UInt64", abi::U64},
    {"Uint8", abi::U8}, // of old versions
    {"Uint16", abi::U16},
}};

/// The end of a file with a checksum: these letters, then the CRC-32 of all before them, ten bytes,
/// the highest first.
constexpr std::string_view crcMark = "crc_num";
constexpr size_t crcBytes = 10;

/// Removes the checksum from the end of `content`, if there is one. Returns whether it fits.
bool takeChecksum(std::string_view &content) {
  size_t length = crcMark.size() + crcBytes;
  if (content.size() < length || !content.substr(content.size() - length).starts_with(crcMark))
    return true;
  std::string_view digits = content.substr(content.size() - crcBytes);
  content.remove_suffix(length);
  uint64_t expected = 0;
  for (char digit : digits)
    expected = expected << 8 | uint8_t(digit);
  uLong got = crc32_z(0, reinterpret_cast<const Bytef *>(content.data()), content.size());
  return got == expected;
}

class CkptReader {
public:
  explicit CkptReader(std::shared_ptr<const MappedFile> file) : file(std::move(file)) {}

  Expected<CkptFile> read() {
    std::string_view content(reinterpret_cast<const char *>(file->bytes().data()),
                             file->bytes().size());
    if (!takeChecksum(content))
      return fail("damaged: its checksum does not fit");
    WireReader fields(content);
    while (std::optional<WireField> field = fields.next()) {
      std::optional<CkptValue> value;
      if (field->number == 1 && !field->isNumber)
        value = readValue(field->bytes);
      if (!value)
        return fail(notCkpt);
      if (Status status = add(*value); !status.ok())
        return status;
    }
    if (!fields.ok() || (tensors.empty() && pending.empty() && names.empty()))
      return fail(notCkpt);
    if (Status status = finish(); !status.ok())
      return status;
    return CkptFile{file, std::move(tensors)};
  }

private:
  static constexpr const char *notCkpt =
      "expected a .ckpt file of MindSpore that is whole and not encrypted";

  Status fail(const std::string &message) const {
    return Status::badInput(file->path() + ": " + message);
  }

  /// Adds a value to those of its name, or begins with the next name.
  Status add(const CkptValue &value) {
    if (value.isMap)
      return fail(fmt::format("'{}': expected a tensor, got a map parameter", value.name));
    if (!pending.empty() && pending.front().name != value.name)
      if (Status status = finish(); !status.ok())
        return status;
    pending.push_back(value);
    return {};
  }

  /// Joins the values of one name.
  Status finish() {
    if (pending.empty())
      return {};
    std::vector<CkptValue> values = std::move(pending);
    pending.clear();
    const CkptValue &first = values.front();
    if (!names.insert(std::string(first.name)).second)
      return fail(fmt::format("'{}': expected one tensor of this name, got two", first.name));
    if (first.type == "str" || first.type == "random_op")
      return {};
    auto type = std::ranges::find(typeNames, first.type, &TypeName::name);
    if (type == typeNames.end())
      return fail(
          fmt::format("'{}': expected numbers of a known type, got '{}'", first.name, first.type));
    CkptTensor tensor{std::string(first.name), type->type, first.shape, {}};
    uint64_t bytes = 0;
    for (const CkptValue &value : values) {
      bytes += value.content.size();
      if (!value.content.empty())
        tensor.chunks.push_back(value.content);
    }
    if (tensor.shape == std::vector<int64_t>{0} && bytes > 0)
      tensor.shape.clear(); // a number
    std::optional<int64_t> count = abi::elementCount(tensor.shape);
    uint64_t width = abi::elementBytes(tensor.type);
    if (!count || uint64_t(*count) != bytes / width || bytes % width != 0)
      return fail(fmt::format("'{}': expected the bytes of {} elements of {}, got {}", first.name,
                              fmt::join(tensor.shape, "x"), first.type, bytes));
    tensors.push_back(std::move(tensor));
    return {};
  }

  std::shared_ptr<const MappedFile> file;
  std::vector<CkptValue> pending; ///< of one name
  std::set<std::string> names;
  std::vector<CkptTensor> tensors;
};

} // namespace

Expected<CkptFile> readCkpt(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.status();
  return CkptReader(std::move(*file)).read();
}

} // namespace pcc::runtime
