// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that a model names. A model comes from anywhere, so the names must not reach other files.
#pragma once

#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace pcc::import {

/// Maps the regular file `location` below `folder`. `location` is relative, and no part of it may
/// be
/// `..` or a symbolic link, as under openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS. The
/// error of a link is `too_many_symbolic_link_levels`; that of a folder or device is
/// `not_supported`.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> mapBeneath(llvm::StringRef folder,
                                                              llvm::StringRef location);

} // namespace pcc::import
