// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks recursively over the wire format (https://protobuf.dev/programming-guides/encoding). The
// message descriptor guides the walk: only fields that it declares as messages are entered.

#include "compiler/import/files/ReadOnnx.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"
#include <google/protobuf/descriptor.h>

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace pcc::import {
namespace {

enum WireType : unsigned { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

class Walker {
public:
  Walker(llvm::StringRef bytes) : bytes(bytes) {}

  /// Walks the message in [begin, end). Returns false if it finds a fault.
  bool message(const Descriptor &descriptor, uint64_t begin, uint64_t end, llvm::StringRef path,
               int depth);

  std::optional<WireFault> fault;

private:
  bool fail(uint64_t byte, llvm::StringRef path, const llvm::Twine &what) {
    fault = WireFault{byte, path.empty() ? "the model" : path.str(), what.str()};
    return false;
  }
  bool varint(uint64_t &value, uint64_t &at, uint64_t end, llvm::StringRef path);
  bool field(const FieldDescriptor *field, unsigned wireType, uint64_t &at, uint64_t end,
             llvm::StringRef path, int depth);
  bool lengthDelimited(const FieldDescriptor *field, uint64_t &at, uint64_t end,
                       llvm::StringRef path, int depth);

  llvm::StringRef bytes;
};

/// Reads a varint of at most ten bytes.
bool Walker::varint(uint64_t &value, uint64_t &at, uint64_t end, llvm::StringRef path) {
  uint64_t begin = at;
  value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at == end)
      return fail(begin, path, "the data ends inside a number");
    uint8_t byte = bytes[at++];
    if (shift < 64)
      value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return fail(begin, path, "a number is longer than ten bytes");
}

bool Walker::lengthDelimited(const FieldDescriptor *field, uint64_t &at, uint64_t end,
                             llvm::StringRef path, int depth) {
  uint64_t begin = at, length = 0;
  if (!varint(length, at, end, path))
    return false;
  if (length > end - at)
    return fail(begin, path,
                "expected " + llvm::Twine(length) + " bytes, got " + llvm::Twine(end - at));
  at += length;
  if (!field || field->type() != FieldDescriptor::TYPE_MESSAGE)
    return true;
  return message(*field->message_type(), at - length, at, path, depth - 1);
}

bool Walker::field(const FieldDescriptor *field, unsigned wireType, uint64_t &at, uint64_t end,
                   llvm::StringRef path, int depth) {
  uint64_t begin = at, ignored = 0;
  switch (wireType) {
  case Varint:
    return varint(ignored, at, end, path);
  case Bytes:
    return lengthDelimited(field, at, end, path, depth);
  case Fixed32:
  case Fixed64: {
    uint64_t size = wireType == Fixed32 ? 4 : 8;
    if (size > end - at)
      return fail(begin, path,
                  "expected " + llvm::Twine(size) + " bytes, got " + llvm::Twine(end - at));
    at += size;
    return true;
  }
  default:
    return fail(begin, path, "unknown wire type " + llvm::Twine(wireType));
  }
}

bool Walker::message(const Descriptor &descriptor, uint64_t begin, uint64_t end,
                     llvm::StringRef path, int depth) {
  if (depth < 0)
    return fail(begin, path, "messages are nested too deeply");
  llvm::DenseMap<int, unsigned> seen;
  for (uint64_t at = begin; at < end;) {
    uint64_t tagAt = at, tag = 0;
    if (!varint(tag, at, end, path))
      return false;
    int number = static_cast<int>(tag >> 3);
    if (number <= 0 || tag >> 32)
      return fail(tagAt, path, "invalid field number");
    const FieldDescriptor *known = descriptor.FindFieldByNumber(number);
    std::string name = path.empty() ? "" : path.str() + ".";
    name += known ? known->name() : "field " + std::to_string(number);
    if (known && known->is_repeated())
      name += "[" + std::to_string(seen[number]++) + "]";
    if (!field(known, tag & 7, at, end, name, depth))
      return false;
  }
  return true;
}

} // namespace

std::optional<WireFault> findWireFault(llvm::StringRef bytes, const Descriptor &descriptor,
                                       int depth) {
  Walker walker(bytes);
  walker.message(descriptor, 0, bytes.size(), "", depth);
  return walker.fault;
}

} // namespace pcc::import
