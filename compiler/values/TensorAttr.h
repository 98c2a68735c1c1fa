// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion from MLIR's types and attributes to the interpreter's tensors.
#pragma once

#include "compiler/values/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace pcc::values {

/// Returns nothing for a type that the interpreter does not support (index, i4, f8E4M3FN, …).
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// Returns a zero tensor of `type`, whose element type must be supported (elementTypeOf).
Tensor zerosOf(mlir::RankedTensorType type);

/// Returns whether `tensor` has exactly the shape and element type of `type`.
bool hasType(const Tensor &tensor, mlir::RankedTensorType type);

/// Returns the elements of a dense literal or a resource. Returns nothing for any other attribute,
/// and for a resource whose number of bytes does not match its type.
std::optional<Tensor> tensorOf(mlir::ElementsAttr attr);

/// Returns the attribute of a `graph.constant` of `type`, from `elements` of its element type: a
/// splat if there is one element, a short literal, or a resource named `name` and a hash, which
/// equal elements share. The graph dialect must support the element type.
mlir::ElementsAttr attrOf(mlir::RankedTensorType type, const Tensor &elements,
                          llvm::StringRef name);

/// Decodes little endian, row-major `bytes` into elements of `type`. Returns nothing if the number
/// of bytes does not match `type`. A boolean is one byte.
std::optional<Tensor> tensorOfBytes(ElementType type, llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<char> bytes);

} // namespace pcc::values
