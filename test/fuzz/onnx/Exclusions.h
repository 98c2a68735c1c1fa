// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of ONNX that random graphs omit, each with its reason. A test checks that all other parts
// of ONNX's table are drawn.
#pragma once

#include "compiler/values/Tensor.h"
#include "llvm/ADT/ArrayRef.h"

namespace pcc::fuzz {

/// Operators that random graphs do not have.
struct ExcludedOperator {
  llvm::StringLiteral op, reason;
};
llvm::ArrayRef<ExcludedOperator> excludedOperators();
bool isExcludedOperator(llvm::StringRef op);

/// Types of an operator that the importer refuses.
struct RefusedTypes {
  llvm::StringLiteral op, types, reason;
};
llvm::ArrayRef<RefusedTypes> refusedTypes();
bool isRefused(llvm::StringRef op, values::ElementType type);

/// An attribute that is never set. An empty `op` stands for all operators.
struct ExcludedAttribute {
  llvm::StringLiteral op, attribute, reason;
};
llvm::ArrayRef<ExcludedAttribute> excludedAttributes();

} // namespace pcc::fuzz
