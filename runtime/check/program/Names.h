// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of instructions and their actions in diagnostics: "'/fc1/Gemm' in forward[2,0]".

#pragma once

#include "runtime/abi/program.pb.h"

#include <string>

namespace pcc::check {

/// Returns the op that the instruction came from, in quotes; its kind if there is none.
std::string nameOf(const abi::Instruction &instruction);

/// Returns the name of the instruction in an action of its program.
std::string nameOf(const abi::Program &program, const abi::Instruction &instruction,
                   const abi::Action &action);

/// Returns a description such as "all_reduce of 8x16xf32".
std::string callOf(const abi::Collective &collective);

} // namespace pcc::check
