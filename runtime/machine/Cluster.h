// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A described machine, complete: every figure set and checked.
//
//   8xcpu      one level: 8 devices over shared memory
//   2x8xH100   two levels: 8 devices over NVLink in a box, 2 boxes over InfiniBand
//
// Rank r is device r, counted through the innermost level first.

#ifndef PCC_RUNTIME_MACHINE_CLUSTER_H
#define PCC_RUNTIME_MACHINE_CLUSTER_H

#include "runtime/abi/Status.h"
#include "runtime/abi/cluster.pb.h"

#include <string>
#include <string_view>

namespace pcc::machine {

/// The most devices of a cluster, as of a program's ranks.
inline constexpr int64_t maxDevices = 4096;

/// The cluster of a short form: counts, outermost first, and a built-in device, joined by `x`. The
/// outer links of the device serve all levels but the innermost. BadUsage, with the column, for
/// anything else.
abi::Expected<abi::Cluster> parseForm(std::string_view form);

/// `given` with everything that it leaves out taken from its form and from built-in links, then
/// checked. BadInput names the field that is missing or wrong.
abi::Expected<abi::Cluster> complete(const abi::Cluster &given);

/// A short form, or the message in protobuf's text form, as pass options have it; complete.
abi::Expected<abi::Cluster> parseCluster(const std::string &text);

/// The same with a device for each of `ranks`; empty: so many ranks of this machine, `Nxcpu`.
abi::Expected<abi::Cluster> parseCluster(const std::string &text, int64_t ranks);

/// Prices products of f32 as those whose factors are rounded to TF32: where the built-in device of
/// the cluster's form has a rate for them, and no file another one for f32.
void roundToTf32(abi::Cluster &cluster);

/// What parseCluster reads back.
std::string toText(const abi::Cluster &cluster);

/// The product of all levels' counts.
int64_t countDevices(const abi::Cluster &cluster);

/// BadInput unless there is a device for each of `ranks`.
abi::Status checkRanks(const abi::Cluster &cluster, int64_t ranks);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_CLUSTER_H
