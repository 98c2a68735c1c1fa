// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints tables to stdout.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace pcc::cli {

/// Prints rows with the same number of cells, indented, each column as wide as its widest cell.
void printColumns(llvm::ArrayRef<std::vector<std::string>> rows);

} // namespace pcc::cli
