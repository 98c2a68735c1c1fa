// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine that differs from a known one in one figure:
//
//   memory=141GB          of each device
//   level1=400Gbps,4us    rate and latency of the links of a level; level 0 is the innermost

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/cluster.pb.h"

#include <string_view>

namespace pcc::machine {

/// Returns whether a text has the form of a change, `KEY=VALUE` with a key of letters and digits.
bool isClusterChange(std::string_view text);

/// Returns `cluster`, which must be complete, with the change. The figures count as assumed, so
/// nothing is taken from the rate. BadUsage for anything but a change of the above forms.
abi::Expected<abi::Cluster> changeCluster(const abi::Cluster &cluster, std::string_view change);

} // namespace pcc::machine
