// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A merged view of the programs of all stages. Code that feeds data, saves parameters or computes
// metrics does not need to know which stage owns an object.

#pragma once

#include "runtime/abi/program.pb.h"

#include <vector>

namespace pcc::abi {

/// Lists the inputs of all programs in program order, each name once.
std::vector<const Input *> inputsOf(const Executable &executable);

/// Returns a program with the inputs, parameters (without first values), results and metrics of a
/// valid executable. Each name appears once, as the first program has it. The sections have no
/// instructions, there is no memory plan, and the actions are those of the first program.
Program programInterface(const Executable &executable);

/// Returns the index of the result of `program` with the role and name of `result`; -1 if there is
/// none.
int findResult(const Program &program, const Result &result);

/// Whether the value of a result is the sum over several programs: it is partial on a mesh axis
/// along which ranks of different programs differ.
bool isSumOfPrograms(const Executable &executable, const Result &result);

/// Whether a metric compares each element of an output with a label of its own, and not rows of
/// scores with classes.
bool comparesElements(Metric::Kind kind);

} // namespace pcc::abi
