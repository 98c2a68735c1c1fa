// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read and written as a whole.

#ifndef PCC_RUNTIME_ABI_WHOLEFILE_H
#define PCC_RUNTIME_ABI_WHOLEFILE_H

#include "runtime/abi/Status.h"

#include <string>
#include <string_view>

namespace pcc::abi {

/// The content of a file. The error (BadInput) names it.
Expected<std::string> readFile(const std::string &path);

/// Writes a file: to a temporary name in the same folder, then renames it, so that no half-written
/// file is ever left. The error (BadInput) names it.
Status writeFile(const std::string &path, std::string_view content);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_WHOLEFILE_H
