// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::test {

/// Gives the last run of section `backward` of each program its own section, `backward_last`. The
/// collectives of `update` move there, each after the instruction that completes its sum.
void splitLastRuns(abi::Executable &executable);

} // namespace pcc::test
