// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format: the number of calls, then for each call:
//
//   header     the fields of fixed size, and the lengths of what follows
//   shape
//   boxes      for each box the positions in the group of the member that sends it and of the one
//              that receives it
//   source
//
// Each part is padded to 16 bytes. Reading checks each length against the remaining bytes first.

#include "runtime/collective/store/StoreCommunicator.h"

#include "runtime/abi/ElementTypes.h"

#include <fmt/ranges.h>

#include <cstring>

namespace pcc::runtime::store {
namespace {

/// The fields of fixed size before the shape of a call.
struct CallHeader {
  int32_t kind, reduction, type, root;
  uint32_t axis, concatAxis, dimensions, boxes;
  uint64_t sourceBytes;
  uint64_t isFused;
};

/// Positions in the group of the member that sends a box, and of the one that receives it.
struct BoxMembers {
  int32_t source, target;
};

constexpr size_t alignment = 16;

size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

template <typename T> void append(std::string &text, const T *values, size_t count) {
  text.append(reinterpret_cast<const char *>(values), count * sizeof(T));
  text.resize(aligned(text.size()));
}

void appendCall(std::string &text, const CollectiveCall &call) {
  uint64_t sourceBytes = call.source ? uint64_t(call.count()) * abi::elementBytes(call.type) : 0;
  CallHeader header{.kind = call.kind,
                    .reduction = call.reduction,
                    .type = call.type,
                    .root = call.root,
                    .axis = call.axis,
                    .concatAxis = call.concatAxis,
                    .dimensions = uint32_t(call.shape.size()),
                    .boxes = uint32_t(call.boxes.size()),
                    .sourceBytes = sourceBytes,
                    .isFused = call.fused};
  std::vector<BoxMembers> boxes;
  for (const Box &box : call.boxes)
    boxes.push_back({box.source, box.target});
  append(text, &header, 1);
  append(text, call.shape.data(), call.shape.size());
  append(text, boxes.data(), boxes.size());
  append(text, static_cast<const char *>(call.source), sourceBytes);
}

/// Reads the appended data from the bytes, in the same order.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}

  /// Returns in `place` the address of `count` values of a type; `what` names them in the error.
  template <typename T> Status take(const char *&place, uint64_t count, const char *what) {
    if (count > bytes.size() / sizeof(T) || aligned(count * sizeof(T)) > bytes.size())
      return Status::failed(fmt::format("expected {} bytes of {}, got {}",
                                        aligned(count * sizeof(T)), what, bytes.size()));
    place = bytes.data();
    bytes.remove_prefix(aligned(count * sizeof(T)));
    return {};
  }

  /// Reads `count` values.
  template <typename T> Status read(std::vector<T> &values, uint64_t count, const char *what) {
    const char *place = nullptr;
    if (Status status = take<T>(place, count, what); !status.ok())
      return status;
    values.resize(count);
    if (count > 0)
      std::memcpy(values.data(), place, count * sizeof(T));
    return {};
  }

  /// Returns the number of bytes that are not read yet.
  size_t left() const { return bytes.size(); }

private:
  std::string_view bytes;
};

/// Checks that a source has all elements of its shape, or is missing.
Status checkSource(const CallHeader &header, const CollectiveCall &call) {
  uint64_t element = abi::elementBytes(call.type);
  if (element == 0)
    return Status::failed(fmt::format("expected an element type, got {}", header.type));
  std::optional<int64_t> count = abi::elementCount(call.shape);
  if (!count)
    return Status::failed(
        fmt::format("expected a shape of extents from 0 on and at most 2^62 elements, got [{}]",
                    fmt::join(call.shape, ", ")));
  if (header.sourceBytes == 0 ||
      (header.sourceBytes % element == 0 && header.sourceBytes / element == uint64_t(*count)))
    return {};
  return Status::failed(fmt::format("expected a source of {} elements of {}, got {} bytes", *count,
                                    abi::elementName(call.type), header.sourceBytes));
}

Status readCall(Reader &reader, CollectiveCall &call) {
  std::vector<CallHeader> headers;
  if (Status status = reader.read(headers, 1, "a call"); !status.ok())
    return status;
  const CallHeader &header = headers[0];
  call.kind = abi::CollectiveKind(header.kind);
  call.reduction = abi::ReduceOp(header.reduction);
  call.type = abi::ElementType(header.type);
  call.root = header.root;
  call.axis = header.axis;
  call.concatAxis = header.concatAxis;
  call.fused = header.isFused != 0;
  if (Status status = reader.read(call.shape, header.dimensions, "a shape"); !status.ok())
    return status;
  std::vector<BoxMembers> boxes;
  if (Status status = reader.read(boxes, header.boxes, "boxes"); !status.ok())
    return status;
  for (const BoxMembers &box : boxes)
    call.boxes.push_back({.source = box.source, .target = box.target});
  if (Status status = checkSource(header, call); !status.ok())
    return status;
  const char *source = nullptr;
  if (Status status = reader.take<char>(source, header.sourceBytes, "a source"); !status.ok())
    return status;
  call.source = header.sourceBytes > 0 ? source : nullptr;
  return {};
}

} // namespace

std::string packCalls(std::span<const CollectiveCall> calls) {
  std::string text;
  uint64_t count = calls.size();
  append(text, &count, 1);
  for (const CollectiveCall &call : calls)
    appendCall(text, call);
  return text;
}

Expected<std::vector<CollectiveCall>> unpackCalls(const std::string &bytes) {
  Reader reader(bytes);
  std::vector<uint64_t> count;
  if (Status status = reader.read(count, 1, "a batch"); !status.ok())
    return status;
  std::vector<CollectiveCall> calls;
  for (uint64_t i = 0; i < count[0]; ++i)
    if (Status status = readCall(reader, calls.emplace_back()); !status.ok())
      return std::move(status).within(fmt::format("call {} of {}", i + 1, count[0]));
  if (reader.left() > 0)
    return Status::failed(
        fmt::format("expected the end after {} calls, got {} bytes", count[0], reader.left()));
  return calls;
}

} // namespace pcc::runtime::store
