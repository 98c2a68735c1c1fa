// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes results to stdout, or to a file that appears complete or not at all.
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace pcc::cli {

/// `--format=text|json`: how a subcommand prints its result.
enum class Format { Text, Json };

/// The flag `--format`.
class FormatFlag {
public:
  explicit FormatFlag(llvm::cl::SubCommand &command);
  bool isJson() const { return value == Format::Json; }

private:
  llvm::cl::opt<Format> value;
};

/// Prints "pcc: error: MESSAGE" to stderr and returns `code`.
ExitCode fail(ExitCode code, const llvm::Twine &message);

/// Lets `write` fill the file `path`, or stdout if the path is "-" or empty. The file gets its name
/// only when it is complete. Returns BadInput, with a message, if it cannot be written.
ExitCode writeResult(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Prints `value` to stdout, indented, with a newline.
void printJson(const llvm::json::Value &value);

/// Prints rows with the same number of cells, indented, each column as wide as its widest cell.
void printColumns(llvm::ArrayRef<std::vector<std::string>> rows);

} // namespace pcc::cli
