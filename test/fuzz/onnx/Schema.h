// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types and attributes that ONNX gives the operators, by opset (Schemas.inc, which
// make_schemas.py writes). It is ONNX's own table, not the importer's: what the importer does not
// take shows as a difference.
#pragma once

#include "compiler/interpret/Element.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace pcc::fuzz {

struct Schema {
  llvm::StringLiteral name;
  int64_t since;
  llvm::StringLiteral types;      ///< `f32 i64`
  llvm::StringLiteral attributes; ///< `axis keepdims`

  llvm::SmallVector<interpret::ElementType> listTypes() const;
  llvm::SmallVector<llvm::StringRef> listAttributes() const;
  bool hasAttribute(llvm::StringRef attribute) const;
};

/// All rows, by name and opset.
llvm::ArrayRef<Schema> allSchemas();

/// The row that holds in `opset`; null for an operator that this opset does not have.
const Schema *findSchema(llvm::StringRef name, int64_t opset);

/// The element type called `name`, as in `f32`.
interpret::ElementType parseType(llvm::StringRef name);

} // namespace pcc::fuzz
