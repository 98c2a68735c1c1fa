// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what is printed to a stream as a file that is always complete: a temporary file that gets
// the name at the end (runtime/abi/files/WholeFile.h).
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Writes to the file `path` what `write` writes to a stream. At any time, `path` is the complete
/// old or the complete new file. The error (BadInput) names the file.
abi::Status writeStream(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace pcc
