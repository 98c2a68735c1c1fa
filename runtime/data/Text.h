// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as bytes, to learn which byte comes next.

#ifndef PCC_RUNTIME_DATA_TEXT_H
#define PCC_RUNTIME_DATA_TEXT_H

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// The bytes of all files that `paths` names, one behind the other: files and folders, whose files
/// come in the order of their names, between commas. They are cut into consecutive windows of
/// `length`: row r of the field `text` holds the bytes from r · length on, of the field `next`
/// those from r · length + 1 on. Errors: no such file; fewer bytes than one window and the next.
Expected<Dataset> readText(const std::string &paths, int64_t length);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_TEXT_H
