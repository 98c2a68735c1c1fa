// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads whole files, compressed or not.

#pragma once

#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// Returns the whole content of a file, decompressed if it is gzip. Errors name the file: not
/// found, a folder, truncated.
Expected<std::vector<std::byte>> readDecompressed(const std::string &path);

} // namespace pcc::runtime
