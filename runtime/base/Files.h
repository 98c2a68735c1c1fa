// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small helpers for files and folders.

#ifndef PCC_RUNTIME_BASE_FILES_H
#define PCC_RUNTIME_BASE_FILES_H

#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

bool fileExists(const std::string &path);
bool isFolder(const std::string &path);

/// The paths of the files in a folder (not in folders below it), sorted. The error names it.
Expected<std::vector<std::string>> listFiles(const std::string &folder);

/// Makes a folder and those above it.
Status makeFolder(const std::string &path);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_FILES_H
