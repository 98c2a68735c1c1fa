// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why questions are refused, here and there.
#pragma once

#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// The reference system's class of a refusal of `question` that says `error`; empty if it has none.
llvm::StringRef categoryOf(const Case &question, llvm::StringRef error);

/// Why a question that the reference system refuses is answered here; empty if it must not be.
llvm::StringRef reasonToAllow(const Case &question);

/// Why a question refused there for `category` is refused here for `ours`; empty if that is wrong.
llvm::StringRef reasonToDiffer(llvm::StringRef category, llvm::StringRef ours);

} // namespace pcc::conformance
