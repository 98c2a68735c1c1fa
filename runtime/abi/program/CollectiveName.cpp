// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the enumerator of a kind in lower case.

#include "runtime/abi/program/CollectiveName.h"

namespace pcc::abi {

std::string collectiveName(CollectiveKind kind) {
  std::string name = CollectiveKind_Name(kind);
  for (char &c : name)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return name;
}

} // namespace pcc::abi
