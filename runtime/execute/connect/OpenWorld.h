// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the world that joins the ranks of a run, from the run's configuration and its launcher.

#pragma once

#include "runtime/abi/config.pb.h"
#include "runtime/collective/Launch.h"
#include "runtime/collective/World.h"

namespace pcc::runtime {

/// Returns the world of a run of `executable`; null if all ranks are local. Errors: BadUsage if the
/// processes do not fit the program or the options; Unavailable without a requested library.
Expected<std::shared_ptr<World>> openWorld(const abi::Executable &executable,
                                           const abi::RunConfig &config, const Launch &launch);

/// Returns this process's share of the threads that a run may use on this machine.
int threadsOf(const abi::RunConfig &config, const Launch &launch);

} // namespace pcc::runtime
