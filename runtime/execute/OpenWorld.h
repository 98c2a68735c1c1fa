// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a run asks for, and who started this process, to what joins its ranks.

#ifndef PCC_RUNTIME_EXECUTE_OPENWORLD_H
#define PCC_RUNTIME_EXECUTE_OPENWORLD_H

#include "runtime/abi/config.pb.h"
#include "runtime/collective/Launch.h"
#include "runtime/collective/World.h"

namespace pcc::runtime {

/// The world of a run of `executable`; null for local ranks alone. Errors: BadUsage where the
/// processes do not fit the program or the options, Unavailable without a library that is asked
/// for.
Expected<std::shared_ptr<World>> openWorld(const abi::Executable &executable,
                                           const abi::RunConfig &config, const Launch &launch);

/// The threads of this process: its share of those that a run may use on this machine.
int threadsOf(const abi::RunConfig &config, const Launch &launch);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_OPENWORLD_H
