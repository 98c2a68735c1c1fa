// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport between threads of one process. Ranks may far outnumber cores.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/machine/UniformLink.h"

#include <memory>
#include <optional>
#include <vector>

namespace pcc::runtime {

/// Returns communicators of `ranks` ranks, one for each thread, in a process that may use `cores`
/// cores (0: the whole machine). With a `link`, nothing completes before it would have arrived over
/// links of that kind (EmulatedLink.h); waiting ranks sleep. One thread uses a communicator; any
/// thread may call abort().
std::vector<std::unique_ptr<Communicator>>
makeLocalCommunicators(int ranks, int cores = 0,
                       const std::optional<machine::UniformLink> &link = {});

} // namespace pcc::runtime
