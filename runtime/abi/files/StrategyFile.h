// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of strategy checkpoints. The suffix selects the format: `.json` JSON, `.textproto`
// protobuf's text format, any other the binary format. The binary format of a strategy has a
// checksum, so damage is found. The other two may be edited by hand.
//
// Beside the strategy, a file of groups says which ranks hold the same slices of all parameters and
// optimizer states. A rank's checkpoint can be restored from that of any rank in its group.
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

/// Reads a strategy. Errors (BadInput) name the file and the problem.
Expected<Strategy> readStrategy(const std::string &path);

/// Writes a strategy, as a whole or not at all. Equal strategies give equal bytes.
Status writeStrategy(const Strategy &strategy, const std::string &path);

/// Groups the ranks of `executable` that hold the same slices. `ownParameters` names the parameters
/// whose value differs from rank to rank.
CheckpointGroups findCheckpointGroups(const Executable &executable,
                                      const std::set<std::string> &ownParameters);

/// Writes groups of ranks.
Status writeCheckpointGroups(const CheckpointGroups &groups, const std::string &path);

} // namespace pcc::abi
