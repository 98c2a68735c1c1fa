// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that data hold valid values for a program.

#pragma once

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// Returns the result of bindFields after a check of every value that feeds an integer input. A
/// value must be an integer of the input's type within the range that the program states
/// (boundary.proto). In an evaluation the labels of metrics may also be negative: such rows do not
/// count. Errors: as bindFields; a value out of range, with its file, row and range.
Expected<std::vector<int>> bindCheckedFields(const Dataset &dataset, const abi::Program &program,
                                             DataPurpose purpose);

} // namespace pcc::runtime
