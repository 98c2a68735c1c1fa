// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the first `flags` line of /proc/cpuinfo, as Linux writes it on x86. Its names and LLVM's
// are compared without punctuation. A table maps the names that still differ.

#include "runtime/base/CpuFeatures.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace pcc::runtime {
namespace {

/// Pairs of LLVM's name and the kernel's flag that implies it. Names that differ only in dots,
/// dashes and underscores ("sse4.1", "sse4_1") need no row.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"64bit", "lm"},           {"crc32", "sse42"},
    {"lzcnt", "abm"},          {"prfchw", "3dnowprefetch"},
    {"sahf", "lahflm"},        {"rdrnd", "rdrand"},
    {"sse3", "pni"},           {"sha", "shani"},
    {"bmi", "bmi1"},           {"pclmul", "pclmulqdq"},
    {"avx10.1", "avx512fp16"}, {"x87", "fpu"},
};

std::string plain(std::string_view name) {
  std::string letters;
  for (char c : name)
    if (c != '.' && c != '-' && c != '_')
      letters += c;
  return letters;
}

} // namespace

std::set<std::string> cpuFlags() {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; flags.empty() && std::getline(file, line);) {
    if (!line.starts_with("flags"))
      continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;)
      flags.insert(plain(word));
  }
  return flags;
}

bool hasCpuFeature(const std::set<std::string> &flags, std::string_view feature) {
  if (flags.contains(plain(feature)))
    return true;
  for (auto [name, flag] : aliases)
    if (name == feature)
      return flags.contains(std::string(flag));
  return false;
}

} // namespace pcc::runtime
