// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PCC_TEST_UNIT_RUNTIME_LASTRUNS_H
#define PCC_TEST_UNIT_RUNTIME_LASTRUNS_H

#include "runtime/abi/program.pb.h"

namespace pcc::test {

/// Gives the last run of section `backward` of each program a section of its own, `backward_last`,
/// in which the collectives of `update` run, each behind the instruction that ends its sum.
void splitLastRuns(abi::Executable &executable);

} // namespace pcc::test

#endif // PCC_TEST_UNIT_RUNTIME_LASTRUNS_H
