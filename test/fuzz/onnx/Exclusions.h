// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of ONNX that random graphs leave out, each with its reason. A test checks that
// everything else of ONNX's table is drawn.
#pragma once

#include "compiler/interpret/Element.h"
#include "llvm/ADT/ArrayRef.h"

namespace pcc::fuzz {

/// Types of an operator that the importer refuses.
struct RefusedTypes {
  llvm::StringLiteral op, types, reason;
};
llvm::ArrayRef<RefusedTypes> refusedTypes();
bool isRefused(llvm::StringRef op, interpret::ElementType type);

/// Attributes that are never set. `op` is empty where it holds for all operators.
struct ExcludedAttribute {
  llvm::StringLiteral op, attribute, reason;
};
llvm::ArrayRef<ExcludedAttribute> excludedAttributes();

} // namespace pcc::fuzz
