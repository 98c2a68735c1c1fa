// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Temporary files for other programs: the linker and the assembler of GPUs.
#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

namespace pcc::lower {

/// A file that is deleted with this object.
struct TemporaryFile {
  llvm::SmallString<128> path;
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  llvm::Error create(llvm::StringRef suffix, llvm::StringRef content = {}) {
    int descriptor;
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("pcc-kernels", suffix, descriptor, path))
      return llvm::createStringError(code, "no temporary file can be made");
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << content;
    stream.close();
    if (std::error_code code = stream.error()) {
      stream.clear_error(); // an uncleared error ends the program
      return llvm::createStringError(code, llvm::Twine("the temporary file \"") + path +
                                               "\" cannot be written");
    }
    return llvm::Error::success();
  }
};
} // namespace pcc::lower
