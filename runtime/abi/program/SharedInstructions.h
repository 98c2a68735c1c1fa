// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deduplicates instructions that several programs share. Pipeline stages with equal layers have
// equal instructions; in a transformer, all stages except the first and the last. Such stages
// differ in parameters, names and the order of actions, and therefore in ring entries. In a file:
//
//   programs[1]   sections …
//   programs[2]   same_as: 2, own_parts: names of its ops
//   programs[3]   same_as: 2, …

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// Removes the sections of programs that equal those of an earlier program.
void shareInstructions(Executable &executable);

/// Restores the sections of an executable that was read. Errors: a reference to a program without
/// sections of its own, a wrong number of names, more than 2 GiB in total.
Status fillInInstructions(Executable &executable);

} // namespace pcc::abi
