// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the launch of a process from an environment of lines NAME=VALUE.
#include "runtime/collective/Launch.h"
#include "runtime/collective/store/Token.h"
#include "test/fuzz/readers/Target.h"

#include <map>
#include <string>

static void readEnvironment(std::string_view bytes) {
  std::map<std::string, std::string, std::less<>> variables;
  while (!bytes.empty()) {
    std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    if (size_t equals = line.find('='); equals != std::string_view::npos)
      variables[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  variables.erase("PCC_STORE_TOKEN_FILE"); // names any file of this machine
  pcc::runtime::Environment find = [&](const char *name) {
    auto found = variables.find(std::string_view(name));
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  (void)pcc::runtime::readLaunch(find);
  (void)pcc::runtime::readStorePort(find);
  (void)pcc::runtime::store::readToken(find);
}

PCC_FUZZ_TARGET(launch, readEnvironment)
