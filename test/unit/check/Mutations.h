// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random faults that a wrong compiler might put into a program.

#pragma once

#include "runtime/abi/program.pb.h"

#include <random>
#include <string>

namespace pcc::test {

/// Makes one random change in a program and returns its description.
std::string mutate(abi::Executable &executable, std::mt19937_64 &random);

/// Removes a collective from its fused collective, or fuses it with the instruction before it.
/// Returns a description.
std::string changeFused(abi::Executable &executable, std::mt19937_64 &random);

} // namespace pcc::test
