// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of strategy checkpoints. The suffix selects the format: `.json` JSON, `.textproto`
// protobuf's text format, any other the binary format. The binary format has a checksum, so damage
// is found. The other two may be edited by hand.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/strategy.pb.h"

#include <string>

namespace pcc::abi {

/// Reads a strategy. Errors (BadInput) name the file and the problem.
Expected<Strategy> readStrategy(const std::string &path);

/// Writes a strategy, as a whole or not at all. Equal strategies give equal bytes.
Status writeStrategy(const Strategy &strategy, const std::string &path);

} // namespace pcc::abi
