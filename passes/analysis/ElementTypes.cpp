// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides by width for integers; every width other than 1, 8 and 32 counts as i64.
#include "passes/analysis/ElementTypes.h"

using namespace mlir;

namespace pcc::analysis {

abi::ElementType toElementType(Type type) {
  if (type.isF32())
    return abi::F32;
  if (type.isF16())
    return abi::F16;
  if (type.isBF16())
    return abi::BF16;
  if (type.isF64())
    return abi::F64;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return abi::BOOL;
  case 8:
    return isUnsigned ? abi::U8 : abi::I8;
  case 16:
    return isUnsigned ? abi::U16 : abi::I16;
  case 32:
    return isUnsigned ? abi::U32 : abi::I32;
  default:
    return isUnsigned ? abi::U64 : abi::I64;
  }
}

} // namespace pcc::analysis
