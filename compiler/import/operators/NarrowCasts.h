// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts to every element type of ONNX, narrow ones included (files/NarrowTypes.h).
#pragma once

#include "compiler/import/emit/Emitter.h"
#include <string>

namespace pcc::import {

/// How a cast to a narrow float rounds, as the attributes of Cast say.
struct NarrowRounding {
  /// Numbers outside of the range become the greatest number, or the least; else infinity or NaN.
  bool saturates = true;
  /// "up", "down" or "nearest", for f8E8M0FNU; other types round to the nearest number, and halfway
  /// to the even one.
  std::string mode = "up";
};

/// Returns `x` with elements of `type`. Numbers outside of the range of narrow integers lose their
/// high bits. Error: an unknown mode for f8E8M0FNU.
Tensor castToStored(Emitter &emit, const Tensor &x, mlir::Type type,
                    const NarrowRounding &rounding = {});

} // namespace pcc::import
