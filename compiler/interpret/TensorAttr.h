// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between MLIR's types and attributes and the interpreter's tensors.
#pragma once

#include "compiler/interpret/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace pcc::interpret {

/// Nothing for a type that the interpreter does not hold (index, ui64, i4, …).
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// A zero tensor of `type`, whose element type is one that the dialects know.
Tensor zerosOf(mlir::RankedTensorType type);

/// True if `tensor` has exactly the shape and element type of `type`.
bool hasType(const Tensor &tensor, mlir::RankedTensorType type);

/// The elements of a dense literal or of a resource. Nothing for any other attribute, and for a
/// resource whose bytes are not as many as its type needs.
std::optional<Tensor> tensorOf(mlir::ElementsAttr attr);

/// The elements in `type` that lie little endian in `bytes`, row-major; nothing if there are not
/// exactly as many bytes as `type` needs. A boolean is one byte.
std::optional<Tensor> tensorOfBytes(ElementType type, llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<char> bytes);

} // namespace pcc::interpret
