// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files, packed or not.

#ifndef PCC_RUNTIME_DATA_UNPACKED_H
#define PCC_RUNTIME_DATA_UNPACKED_H

#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

/// The whole content of a file, unpacked if it is gzip. Errors name the file: not there, a folder,
/// truncated.
Expected<std::vector<std::byte>> readUnpacked(const std::string &path);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_UNPACKED_H
