// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads whole files, compressed or not.

#pragma once

#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// Returns half of the machine's memory in bytes.
size_t halfOfMemory();

/// Returns the whole content of a file, decompressed if it is gzip. Errors name the file: not
/// found, a folder, truncated, more than `maxBytes`. A small compressed file can be endless.
Expected<std::vector<std::byte>> readDecompressed(const std::string &path,
                                                  size_t maxBytes = halfOfMemory());

} // namespace pcc::runtime
