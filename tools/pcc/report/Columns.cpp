// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/report/Columns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

void pcc::cli::printColumns(llvm::ArrayRef<std::vector<std::string>> rows) {
  if (rows.empty())
    return;
  std::vector<size_t> widths(rows.front().size());
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const std::vector<std::string> &row : rows) {
    std::string line = "  ";
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      line += cell + std::string(width - cell.size() + 2, ' ');
    llvm::outs() << llvm::StringRef(line).rtrim() << "\n";
  }
}
