// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks types up in one table of names and sizes.

#include "runtime/abi/ElementTypes.h"

namespace pcc::abi {
namespace {

struct TypeFact {
  ElementType type;
  std::string_view name;
  uint64_t bytes;
};

constexpr TypeFact typeFacts[] = {
    {F32, "f32", 4},  {F16, "f16", 2},  {BF16, "bf16", 2}, {F64, "f64", 8}, {I64, "i64", 8},
    {I32, "i32", 4},  {I16, "i16", 2},  {I8, "i8", 1},     {BOOL, "i1", 1}, {U64, "ui64", 8},
    {U32, "ui32", 4}, {U16, "ui16", 2}, {U8, "ui8", 1}};

} // namespace

uint64_t elementBytes(ElementType type) {
  for (const TypeFact &fact : typeFacts)
    if (fact.type == type)
      return fact.bytes;
  return 0;
}

std::string_view elementName(ElementType type) {
  for (const TypeFact &fact : typeFacts)
    if (fact.type == type)
      return fact.name;
  return "none";
}

bool isFloat(ElementType type) { return type == F32 || type == F16 || type == BF16 || type == F64; }

bool isInteger(ElementType type) { return elementBytes(type) != 0 && !isFloat(type); }

ElementType accumulatorType(ElementType type) { return type == F64 ? F64 : F32; }

} // namespace pcc::abi
