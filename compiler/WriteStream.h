// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes text of the compiler to files, as all other files are written.
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Writes to the file `path` what `write` writes to a stream. The old or the new file is whole at
/// any time (runtime/abi/WholeFile.h). The error (BadInput) names the file.
abi::Status writeStream(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace pcc
