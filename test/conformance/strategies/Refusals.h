// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons why questions are refused, by pcc and by MindSpore.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Returns MindSpore's category of a refusal with the text `error`; empty if it has
/// none.
llvm::StringRef categoryOf(const Case &question, llvm::StringRef error);

/// Returns why pcc accepts a question that MindSpore refuses; empty if it must not.
llvm::StringRef reasonToAllow(const Case &question);

/// Returns why MindSpore may refuse for `category` and pcc for `ours`; empty if that is
/// wrong.
llvm::StringRef reasonToDiffer(llvm::StringRef category, llvm::StringRef ours);

} // namespace pcc::conformance
