// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of all stages show to the outside as one: who feeds data, saves parameters or
// computes metrics need not know which stage has what.

#ifndef PCC_RUNTIME_ABI_OUTSIDE_H
#define PCC_RUNTIME_ABI_OUTSIDE_H

#include "runtime/abi/program.pb.h"

#include <vector>

namespace pcc::abi {

/// The inputs of all programs, each name once, in the order of the programs.
std::vector<const Input *> inputsOf(const Executable &executable);

/// A program with the inputs, parameters (without first values), results and metrics of a valid
/// executable, each name once as the first program has it; its sections have no records, and there
/// is no memory plan. Slots are those of the first program.
Program outsideOf(const Executable &executable);

/// The number of the result of `program` with the role and name of `result`; -1 if it has none.
int findResult(const Program &program, const Result &result);

/// Whether a result that several programs have is the sum of what each has: it is partial on an
/// axis along which their ranks differ.
bool isSumOfPrograms(const Executable &executable, const Result &result);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_OUTSIDE_H
