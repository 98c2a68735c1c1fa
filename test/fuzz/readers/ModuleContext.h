// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::fuzz {

/// Returns an MLIR context with the dialects that pcc reads. It prints diagnostics to nowhere, so
/// their text is made. The context is a new one after some calls, because contexts keep all types
/// and attributes.
mlir::MLIRContext &getContext();

} // namespace pcc::fuzz
