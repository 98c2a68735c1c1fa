// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format: the number of calls, then for each a fixed row, the shape, the positions of its boxes'
// sides, and the source. Each part is padded to 16 bytes. Reading checks each length against the
// remaining bytes first.

#include "runtime/collective/store/Wire.h"

#include "runtime/abi/ElementTypes.h"

#include <cstring>

namespace pcc::runtime::store {
namespace {

/// The fixed part before the shape of a call; its boxes and its source follow.
struct Row {
  int32_t kind, reduction, type, root;
  uint32_t axis, concatAxis, dimensions, boxes;
  uint64_t sourceBytes;
  uint64_t isFused;
};

/// Source and target positions of a box.
struct Pair {
  int32_t source, target;
};

constexpr size_t alignment = 16;

size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

template <typename T> void append(std::string &text, const T *values, size_t count) {
  text.append(reinterpret_cast<const char *>(values), count * sizeof(T));
  text.resize(aligned(text.size()));
}

void appendCall(std::string &text, const CollectiveCall &call) {
  Row row{.kind = call.kind,
          .reduction = call.reduction,
          .type = call.type,
          .root = call.root,
          .axis = call.axis,
          .concatAxis = call.concatAxis,
          .dimensions = uint32_t(call.shape.size()),
          .boxes = uint32_t(call.boxes.size()),
          .sourceBytes = call.source ? uint64_t(call.count()) * abi::elementBytes(call.type) : 0,
          .isFused = call.fused};
  std::vector<Pair> pairs;
  for (const Box &box : call.boxes)
    pairs.push_back({box.source, box.target});
  append(text, &row, 1);
  append(text, call.shape.data(), call.shape.size());
  append(text, pairs.data(), pairs.size());
  append(text, static_cast<const char *>(call.source), row.sourceBytes);
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

  bool isDone() const { return bytes.empty(); }

private:
  std::string_view bytes;
};

/// Checks that a source has all elements of its shape, or is missing.
Status checkSource(const Row &row, const CollectiveCall &call) {
  uint64_t element = abi::elementBytes(call.type);
  if (element == 0)
    return Status::failed(fmt::format("{} is no element type", row.type));
  std::optional<int64_t> count = abi::elementCount(call.shape);
  if (!count)
    return Status::failed("the shape has too many elements, or a negative extent");
  if (row.sourceBytes == 0 ||
      (row.sourceBytes % element == 0 && row.sourceBytes / element == uint64_t(*count)))
    return {};
  return Status::failed(fmt::format("expected a source of {} elements of {}, got {} bytes", *count,
                                    abi::elementName(call.type), row.sourceBytes));
}

Status readCall(Reader &reader, CollectiveCall &call) {
  std::vector<Row> rows;
  if (Status status = reader.read(rows, 1, "a call"); !status.ok())
    return status;
  const Row &row = rows[0];
  call.kind = abi::CollectiveKind(row.kind);
  call.reduction = abi::ReduceOp(row.reduction);
  call.type = abi::ElementType(row.type);
  call.root = row.root;
  call.axis = row.axis;
  call.concatAxis = row.concatAxis;
  call.fused = row.isFused != 0;
  if (Status status = reader.read(call.shape, row.dimensions, "a shape"); !status.ok())
    return status;
  std::vector<Pair> pairs;
  if (Status status = reader.read(pairs, row.boxes, "boxes"); !status.ok())
    return status;
  for (const Pair &pair : pairs)
    call.boxes.push_back({.source = pair.source, .target = pair.target});
  if (Status status = checkSource(row, call); !status.ok())
    return status;
  const char *source = nullptr;
  if (Status status = reader.take<char>(source, row.sourceBytes, "a source"); !status.ok())
    return status;
  call.source = row.sourceBytes > 0 ? source : nullptr;
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
  if (!reader.isDone())
    return Status::failed(fmt::format("more bytes than those of {} calls", count[0]));
  return calls;
}

} // namespace pcc::runtime::store
