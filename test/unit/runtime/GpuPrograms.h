// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs built by hand (Programs.h), in the form in which the compiler links them for the
// emulated GPU.
#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::test {

/// Returns the same program with the code of GpuKernels.c.
abi::Executable forGpu(abi::Executable executable);

} // namespace pcc::test
