// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are written as a whole; an error of the terminal or pipe ends the process in LLVM's stream.
#include "tools/pcc/report/Output.h"

#include "compiler/WriteStream.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

FormatFlag::FormatFlag(cl::SubCommand &command)
    : value("format", cl::desc("output format (default: text)"), cl::init(Format::Text),
            cl::values(clEnumValN(Format::Text, "text", "for people"),
                       clEnumValN(Format::Json, "json", "for programs")),
            cl::sub(command)) {}

ExitCode pcc::cli::fail(ExitCode code, const llvm::Twine &message) {
  llvm::errs() << "pcc: error: " << message << "\n";
  return code;
}

ExitCode pcc::cli::writeResult(llvm::StringRef path,
                               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path.empty() || path == "-") {
    write(llvm::outs());
    llvm::outs().flush();
    return Success;
  }
  pcc::abi::Status status = pcc::writeStream(path, write);
  return status.ok() ? Success : fail(BadInput, status.message());
}

void pcc::cli::printJson(const llvm::json::Value &value) {
  llvm::outs() << llvm::formatv("{0:2}", value) << "\n";
  llvm::outs().flush();
}

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
