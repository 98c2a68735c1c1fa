// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that say which ranks hold the same slices of all parameters and optimizer states. A rank's
// checkpoint can be restored from that of any rank in its group.
//
//   dp=2, tp=2; parameters are split over tp     ranks 0 and 2; ranks 1 and 3
//   the same, with a sharded optimizer           each rank alone

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"
#include "runtime/abi/strategy.pb.h"

#include <set>
#include <string>

namespace pcc::abi {

/// Groups the ranks of `executable` that hold the same slices. `ownParameters` names the parameters
/// whose value differs from rank to rank.
CheckpointGroups findCheckpointGroups(const Executable &executable,
                                      const std::set<std::string> &ownParameters);

/// Writes `groups` as text (`.textproto`), as JSON (`.json`), or as a binary message.
Status writeCheckpointGroups(const CheckpointGroups &groups, const std::string &path);

} // namespace pcc::abi
