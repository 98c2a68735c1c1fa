// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU features of this machine, by LLVM's feature names.

#pragma once

#include "runtime/base/Base.h"

#include <set>
#include <string>
#include <string_view>

namespace pcc::runtime {

/// Returns the feature flags of this machine's first processor: the kernel's names without dots,
/// dashes and underscores. Returns an empty set if the kernel lists none under `flags`, the name of
/// the list on x86.
std::set<std::string> cpuFlags();

/// Whether a machine with the kernel's `flags` has the feature that LLVM calls `feature`. A name
/// that neither the kernel nor this file knows counts as missing.
bool hasCpuFeature(const std::set<std::string> &flags, std::string_view feature);

/// Returns success, or Unavailable with the features that a machine with the kernel's `flags`
/// lacks. Without flags nothing is known of the machine, and the check succeeds.
template <typename Features>
Status checkCpuFeatures(const Features &features, const std::set<std::string> &flags = cpuFlags()) {
  if (flags.empty())
    return {};
  std::string missing;
  for (const std::string &feature : features)
    if (!hasCpuFeature(flags, feature))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty())
    return {};
  return Status::unavailable(fmt::format(
      "the program was compiled for a cpu with {}, which this machine lacks; compile it here",
      missing));
}

} // namespace pcc::runtime
