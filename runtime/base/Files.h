// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small helpers for files and folders.

#pragma once

#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

bool fileExists(const std::string &path);
bool isFolder(const std::string &path);

/// Returns the sorted paths of the files in a folder, without subfolders. The error names the
/// folder.
Expected<std::vector<std::string>> listFiles(const std::string &folder);

/// Creates a folder and its missing parent folders.
Status makeFolder(const std::string &path);

/// Checks before a run that a file can be written as `path`, the value of `flag`. BadInput if the
/// folder does not exist or is not writable, or if `path` is a folder.
Status checkOutputPath(const char *flag, const std::string &path);

} // namespace pcc::runtime
