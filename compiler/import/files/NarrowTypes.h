// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of ONNX that are narrower than those of programs: floats of 4 and 8 bits, integers
// of 2 and 4 bits. A program holds such elements in a wider type, which has all their values:
//
//   f4E2M1FN, f8E4M3FN, f8E5M2, …   bf16
//   i2, i4                          i8
//   ui2, ui4                        ui8
//
// ONNX has no arithmetic on narrow elements. They are moved, and cast to other types and back; a
// cast to a narrow type rounds (operators/NarrowCasts.h).
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace pcc::import {

/// Returns the type for number `dataType` (TensorProto.DataType), if it is narrow; else null.
mlir::Type narrowTypeOf(int32_t dataType, mlir::MLIRContext &context);

/// Returns whether programs hold elements of `type` in a wider type.
bool isNarrow(mlir::Type type);

/// Returns the type in which programs hold elements of `type`: itself, if it is not narrow.
mlir::Type holderOf(mlir::Type type);
mlir::RankedTensorType holderOf(mlir::RankedTensorType type);

/// Returns the bytes of the elements of `type` in a file: 2 or 4 elements share a byte, the first
/// in its low bits.
uint64_t storedBytes(mlir::RankedTensorType type);

/// Returns the elements of the narrow type `type` in `stored`, as little-endian elements of their
/// holder. `stored` must have storedBytes(type) bytes.
std::shared_ptr<const std::vector<char>> widen(mlir::RankedTensorType type,
                                               llvm::ArrayRef<char> stored);

} // namespace pcc::import
