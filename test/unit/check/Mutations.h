// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a wrong compiler might do to a program.

#ifndef PCC_TEST_UNIT_CHECK_MUTATIONS_H
#define PCC_TEST_UNIT_CHECK_MUTATIONS_H

#include "runtime/abi/program.pb.h"

#include <random>
#include <string>

namespace pcc::test {

/// Changes one thing in a program, by chance; says what.
std::string mutate(abi::Executable &executable, std::mt19937_64 &random);

/// Takes a collective out of its message, or fuses it with what is before it; says which.
std::string changeFused(abi::Executable &executable, std::mt19937_64 &random);

} // namespace pcc::test

#endif // PCC_TEST_UNIT_CHECK_MUTATIONS_H
