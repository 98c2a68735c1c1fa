// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the world that joins the ranks of a run, from the run's configuration and its launcher.

#pragma once

#include "runtime/abi/config.pb.h"
#include "runtime/collective/Launch.h"
#include "runtime/collective/World.h"

namespace pcc::runtime {

/// Returns the world of a run of `executable`; null if all ranks are local. `warn` is called if the
/// store listens elsewhere than the launcher says; null: no warning. Leaves `executable` as it was.
/// Errors: BadUsage if the processes do not fit the program or the options, or their store needs a
/// token; Unavailable without a requested library.
Expected<std::shared_ptr<World>> openWorld(abi::Executable &executable,
                                           const abi::RunConfig &config, const Launch &launch,
                                           const std::function<void(const std::string &)> &warn);

/// Returns this process's share of the threads that a run may use on this machine.
int threadsOf(const abi::RunConfig &config, const Launch &launch);

} // namespace pcc::runtime
