// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes one reshard in the interpreter.
#pragma once

#include "compiler/interpret/compare/Compare.h"
#include "runtime/abi/cluster.pb.h"
#include "tools/pcc/subcommands/ReshardPairs.h"

namespace pcc::cli {

/// Puts the reshard of `pair` into a program and replaces it by the collectives of its plan. Runs
/// all ranks in the interpreter on random values, and compares the joined result with the input.
/// `cluster`: the machine that the plan is made for, or null.
interpret::Report runReshard(const ReshardPair &pair, const abi::Cluster *cluster,
                             mlir::MLIRContext &context);

} // namespace pcc::cli
