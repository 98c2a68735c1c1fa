// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the instructions of a program and stores the results that each one reads
// (Instruction.number, Instruction.reads). The program must have its original order of actions and
// instructions. The check verifies later changes of order or placement against these annotations.

#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::check {

/// Stores the dataflow of a valid executable, as its instructions read and write in list order.
void annotateDataflow(abi::Executable &executable);

} // namespace pcc::check
