// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the kinds of collectives.

#pragma once

#include "runtime/abi/program.pb.h"

#include <string>

namespace pcc::abi {

/// Returns the op name that all levels use: "all_reduce", "send", …
std::string collectiveName(CollectiveKind kind);

} // namespace pcc::abi
