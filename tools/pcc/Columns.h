// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables on stdout.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace pcc::cli {

/// Prints rows of equally many cells, indented, each column as wide as its widest cell.
void printColumns(llvm::ArrayRef<std::vector<std::string>> rows);

} // namespace pcc::cli
