// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions this machine has, asked for by LLVM's feature names.

#ifndef PCC_RUNTIME_BASE_CPUFEATURES_H
#define PCC_RUNTIME_BASE_CPUFEATURES_H

#include "runtime/base/Base.h"

#include <set>
#include <string>
#include <string_view>

namespace pcc::runtime {

/// The feature flags of the first processor of this machine, as the kernel names them.
std::set<std::string> cpuFlags();

/// True if a machine with the kernel's `flags` has the feature that LLVM calls `feature`. A name
/// that neither the kernel nor this room knows counts as missing.
bool hasCpuFeature(const std::set<std::string> &flags, std::string_view feature);

/// Success, or Unavailable with the features that are missing here.
template <typename Features> Status checkCpuFeatures(const Features &features) {
  std::set<std::string> flags = cpuFlags();
  std::string missing;
  for (const std::string &feature : features)
    if (!hasCpuFeature(flags, feature))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty())
    return {};
  return Status::unavailable(fmt::format(
      "the program was compiled for a cpu with {}, which this one has not; compile it here",
      missing));
}

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_CPUFEATURES_H
