// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A complete machine description: every figure is set and checked. A short form states it by counts
// and a built-in device:
//
//   8xcpu      one level: 8 devices over shared memory
//   2x8xH100   two levels: 8 devices over NVLink in a box, 2 boxes over InfiniBand
//
// Rank r is device r, with the innermost level counted first.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/cluster.pb.h"

#include <string>
#include <string_view>

namespace pcc::machine {

/// Parses a short form: counts, outermost first, and a built-in device, joined by `x`. The device's
/// outer link serves all levels but the innermost. BadUsage, with the column, for anything else.
abi::Expected<abi::Cluster> parseForm(std::string_view form);

/// Returns `given` completed from its form and from built-in links, and checked. BadInput names the
/// field that is missing or wrong.
abi::Expected<abi::Cluster> complete(const abi::Cluster &given);

/// Parses a short form, or the message in protobuf's text format, as pass options contain it. The
/// result is complete.
abi::Expected<abi::Cluster> parseCluster(const std::string &text);

/// Parses a cluster and checks that it has a device for each of `ranks`. Empty text means `Nxcpu`:
/// `ranks` ranks of this machine.
abi::Expected<abi::Cluster> parseCluster(const std::string &text, int64_t ranks);

/// Sets the rate of f32 matmuls to the rate with operands rounded to TF32. Applies only if the
/// built-in device of the cluster's form has that rate and no file changed the f32 rate.
void roundToTf32(abi::Cluster &cluster);

/// Prints a cluster as text that parseCluster reads back.
std::string toText(const abi::Cluster &cluster);

/// Returns the number of devices: all levels' counts multiplied.
int64_t countDevices(const abi::Cluster &cluster);

/// Returns BadInput unless there is a device for each of `ranks`.
abi::Status checkRanks(const abi::Cluster &cluster, int64_t ranks);

//===-- ClusterChange.cpp ---------------------------------------------------------------------===//

// A machine that differs from a known one in one figure:
//
//   memory=141GB          of each device
//   level1=400Gbps,4us    rate and latency of the links of a level; level 0 is the innermost

/// Returns whether a text has the form of a change, `KEY=VALUE` with a key of letters and digits.
bool isClusterChange(std::string_view text);

/// Returns `cluster`, which must be complete, with the change. The figures count as assumed, so
/// nothing is taken from the rate. BadUsage for anything but a change of the above forms.
abi::Expected<abi::Cluster> changeCluster(const abi::Cluster &cluster, std::string_view change);

} // namespace pcc::machine
