// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as bytes, for predicting the next byte.

#ifndef PCC_RUNTIME_DATA_TEXT_H
#define PCC_RUNTIME_DATA_TEXT_H

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// Reads the bytes of all files that `paths` names, concatenated. `paths` is a comma-separated list
/// of files and folders; files of a folder are sorted by name. The bytes form consecutive windows
/// of `length`. Row r of the field `text` has the bytes from r · length on, of the field `next` the
/// bytes from r · length + 1 on. Errors: no such file; fewer bytes than one window and the next
/// byte.
Expected<Dataset> readText(const std::string &paths, int64_t length);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_TEXT_H
