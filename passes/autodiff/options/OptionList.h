// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The textual form shared by --loss and --optimizer: a comma-separated list of words and of
// `key=value` options.
//
//   "lr=0.01,momentum=0.9,nesterov"  →  lr = "0.01", momentum = "0.9"; word "nesterov"
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace pcc::autodiff {

/// An option as written; `value` is empty for a word.
struct Option {
  llvm::StringRef key;
  llvm::StringRef value;
  bool hasValue = false;
};

/// Splits `text` into the options of `owner` ("optimizer 'sgd'"), which errors name. An empty text
/// has no options. An empty item is an error.
llvm::Expected<llvm::SmallVector<Option>> splitOptions(llvm::StringRef owner, llvm::StringRef text);

/// Returns an error for an option that is not among `known`, or is given twice.
llvm::Error checkOptions(llvm::StringRef owner, llvm::ArrayRef<Option> options,
                         llvm::ArrayRef<llvm::StringRef> known);

/// Parses a finite number of at least `least`.
llvm::Expected<double> parseNumber(const Option &option, double least = 0);
llvm::Expected<int64_t> parseInteger(const Option &option);
/// Parses `true` or `false`; a word alone means true.
llvm::Expected<bool> parseSwitch(const Option &option);

/// Returns "'a', 'b', 'c'", or "none".
std::string quotedList(llvm::ArrayRef<llvm::StringRef> names);

/// Makes an error with this message.
template <typename... Parts> llvm::Error makeError(Parts &&...parts) {
  std::string message;
  llvm::raw_string_ostream os(message);
  (os << ... << parts);
  return llvm::createStringError(message);
}

} // namespace pcc::autodiff
