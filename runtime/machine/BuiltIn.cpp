// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the tables of BuiltInDevices.cpp and BuiltInLinks.cpp, ignoring case.

#include "runtime/machine/BuiltIn.h"

#include <algorithm>
#include <cctype>

namespace pcc::machine {

abi::Figure makeFigure(double value, abi::FigureSource source) {
  abi::Figure result;
  result.set_value(value);
  result.set_source(source);
  return result;
}

static bool equalInAnyCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

const BuiltInDevice *findDevice(std::string_view name) {
  for (const BuiltInDevice &device : builtInDevices())
    if (equalInAnyCase(device.name, name))
      return &device;
  return nullptr;
}

const BuiltInLink *findLink(std::string_view name) {
  for (const BuiltInLink &link : builtInLinks())
    if (equalInAnyCase(link.name, name))
      return &link;
  return nullptr;
}

} // namespace pcc::machine
