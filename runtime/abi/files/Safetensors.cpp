// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the JSON header as text: each tensor begins where the one before it ends. One table maps
// the format's type names to element types and back.

#include "runtime/abi/files/Safetensors.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/JsonString.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pcc::abi {
namespace {

struct TypeRow {
  std::string_view dtype;
  ElementType type;
};

constexpr TypeRow types[] = {{"F32", F32}, {"F16", F16}, {"BF16", BF16}, {"F64", F64}, {"I64", I64},
                             {"I32", I32}, {"I16", I16}, {"I8", I8},     {"U64", U64}, {"U32", U32},
                             {"U16", U16}, {"U8", U8},   {"BOOL", BOOL}};

std::string_view dtypeOf(ElementType type) {
  for (const TypeRow &row : types)
    if (row.type == type)
      return row.dtype;
  return "";
}

} // namespace

std::optional<ElementType> safetensorsType(std::string_view dtype) {
  for (const TypeRow &row : types)
    if (row.dtype == dtype)
      return row.type;
  return std::nullopt;
}

std::string safetensorsHead(std::span<const SafetensorsEntry> entries) {
  std::string header = "{";
  uint64_t begin = 0;
  for (const SafetensorsEntry &entry : entries) {
    uint64_t end = begin + uint64_t(*elementCount(entry.shape)) * elementBytes(entry.type);
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.size() == 1 ? "" : ",", quoteJson(entry.name), dtypeOf(entry.type),
                          fmt::join(entry.shape, ","), begin, end);
    begin = end;
  }
  header += '}';
  header.append(-header.size() % 8, ' ');
  std::string head;
  for (uint64_t i = 0; i < safetensorsLengthBytes; ++i)
    head.push_back(char(header.size() >> 8 * i & 0xff));
  return head + header;
}

} // namespace pcc::abi
