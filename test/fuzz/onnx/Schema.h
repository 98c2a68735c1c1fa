// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types and attributes of operators in ONNX, by opset (Schemas.inc, written by
// make_schemas.py). The table is ONNX's own, not the importer's, so that a gap in the importer
// shows as a difference.
#pragma once

#include "compiler/values/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace pcc::fuzz {

struct Schema {
  llvm::StringLiteral name;
  int64_t since;
  llvm::StringLiteral types;      ///< `f32 i64`
  llvm::StringLiteral attributes; ///< `axis keepdims`

  llvm::SmallVector<values::ElementType> listTypes() const;
  llvm::SmallVector<llvm::StringRef> listAttributes() const;
  bool hasAttribute(llvm::StringRef attribute) const;
};

/// Returns all rows, sorted by name and opset.
llvm::ArrayRef<Schema> allSchemas();

/// Returns the row for `opset`; null if this opset does not have the operator.
const Schema *findSchema(llvm::StringRef name, int64_t opset);

/// Returns the element type called `name`, for example `f32`.
values::ElementType parseType(llvm::StringRef name);

} // namespace pcc::fuzz
