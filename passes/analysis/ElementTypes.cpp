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
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return abi::BOOL;
  case 8:
    return abi::I8;
  case 32:
    return abi::I32;
  default:
    return abi::I64;
  }
}

} // namespace pcc::analysis
