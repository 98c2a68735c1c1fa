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

constexpr TypeFact typeFacts[] = {{F32, "f32", 4}, {F16, "f16", 2}, {BF16, "bf16", 2},
                                  {I32, "i32", 4}, {I64, "i64", 8}, {I8, "i8", 1},
                                  {BOOL, "i1", 1}};

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

bool isInteger(ElementType type) {
  return type == I32 || type == I64 || type == I8 || type == BOOL;
}

} // namespace pcc::abi
