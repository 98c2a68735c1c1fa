// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/store/Wire.h"

#include "runtime/abi/ElementTypes.h"

#include <cstring>

namespace pcc::runtime::store {
namespace {

/// What stands before the shape of a call, and behind it its source.
struct Row {
  int32_t kind, reduction, type, root;
  uint32_t axis, concatAxis, dimensions, boxes;
  uint64_t sourceBytes;
  uint64_t isFused;
};

constexpr size_t alignment = 16;

size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

void append(std::string &text, const void *bytes, size_t size) {
  text.append(static_cast<const char *>(bytes), size);
  text.resize(aligned(text.size()));
}

} // namespace

std::string packCalls(std::span<const CollectiveCall> calls) {
  std::string text;
  for (const CollectiveCall &call : calls) {
    uint64_t bytes = call.source ? uint64_t(call.count()) * abi::elementBytes(call.type) : 0;
    Row row{call.kind,
            call.reduction,
            call.type,
            call.root,
            call.axis,
            call.concatAxis,
            uint32_t(call.shape.size()),
            uint32_t(call.boxes.size()),
            bytes,
            call.fused};
    append(text, &row, sizeof row);
    append(text, call.shape.data(), call.shape.size() * sizeof(int64_t));
    append(text, call.source, bytes);
  }
  return text;
}

std::vector<CollectiveCall> unpackCalls(const std::string &bytes) {
  std::vector<CollectiveCall> calls;
  for (size_t at = 0; at + sizeof(Row) <= bytes.size();) {
    Row row;
    std::memcpy(&row, bytes.data() + at, sizeof row);
    at += aligned(sizeof row);
    CollectiveCall &call = calls.emplace_back();
    call.kind = abi::CollectiveKind(row.kind);
    call.reduction = abi::ReduceOp(row.reduction);
    call.type = abi::ElementType(row.type);
    call.root = row.root;
    call.axis = row.axis;
    call.concatAxis = row.concatAxis;
    call.boxes.resize(row.boxes);
    call.fused = row.isFused != 0;
    call.shape.resize(row.dimensions);
    std::memcpy(call.shape.data(), bytes.data() + at, row.dimensions * sizeof(int64_t));
    at += aligned(row.dimensions * sizeof(int64_t));
    call.source = bytes.data() + at;
    at += aligned(row.sourceBytes);
  }
  return calls;
}

} // namespace pcc::runtime::store
