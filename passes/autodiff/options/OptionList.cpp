// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits at commas, then at the first `=`. Reports every error in terms of the option and its
// owner.
#include "passes/autodiff/options/OptionList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace llvm;

namespace pcc::autodiff {

Expected<SmallVector<Option>> splitOptions(StringRef owner, StringRef text) {
  SmallVector<Option> options;
  if (text.empty())
    return options;
  for (StringRef item : split(text, ',')) {
    auto [key, value] = item.split('=');
    if (key.trim().empty())
      return makeError("expected an option between the commas of ", owner, ", got '", item, "'");
    options.push_back({key.trim(), value.trim(), item.contains('=')});
  }
  return options;
}

Error checkOptions(StringRef owner, ArrayRef<Option> options, ArrayRef<StringRef> known) {
  llvm::StringSet<> seen;
  for (const Option &option : options) {
    if (known.empty())
      return makeError("unknown option '", option.key, "' of ", owner, ", which has none");
    if (!is_contained(known, option.key))
      return makeError("unknown option '", option.key, "' of ", owner,
                       "; known: ", quotedList(known));
    if (!seen.insert(option.key).second)
      return makeError("option '", option.key, "' of ", owner, " is given twice");
  }
  return Error::success();
}

Expected<double> parseNumber(const Option &option, double least) {
  double number = 0;
  if (option.value.getAsDouble(number) || !std::isfinite(number) || number < least)
    return makeError("option '", option.key, "': expected a number of at least ", int64_t(least),
                     ", got '", option.value, "'");
  return number;
}

Expected<int64_t> parseInteger(const Option &option) {
  int64_t number = 0;
  if (option.value.getAsInteger(10, number))
    return makeError("option '", option.key, "': expected an integer, got '", option.value, "'");
  return number;
}

Expected<bool> parseSwitch(const Option &option) {
  if (!option.hasValue || option.value == "true")
    return true;
  if (option.value == "false")
    return false;
  return makeError("option '", option.key, "': expected true or false, got '", option.value, "'");
}

std::string quotedList(ArrayRef<StringRef> names) {
  if (names.empty())
    return "none";
  return "'" + join(names, "', '") + "'";
}

} // namespace pcc::autodiff
