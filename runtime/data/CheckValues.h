// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether data hold values that a program can work with.

#ifndef PCC_RUNTIME_DATA_CHECKVALUES_H
#define PCC_RUNTIME_DATA_CHECKVALUES_H

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// bindFields' result, after a look at every value that feeds an input of integers: it must be an
/// integer that the input's type holds, and in the range that the program states (boundary.proto).
/// In an evaluation the labels of metrics may also be negative: such rows do not count. Errors: as
/// bindFields; a value out of range, with its file, row and range.
Expected<std::vector<int>> bindCheckedFields(const Dataset &dataset, const abi::Program &program,
                                             DataPurpose purpose);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_CHECKVALUES_H
