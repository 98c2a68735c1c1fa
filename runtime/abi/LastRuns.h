// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections whose last run in a step is a section of its own, in which more is done.
//
//   slots               backward[0]  backward[1]  backward_last[2]
//   runs of @backward       0            1              2

#ifndef PCC_RUNTIME_ABI_LASTRUNS_H
#define PCC_RUNTIME_ABI_LASTRUNS_H

#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// The section with whose runs those of `section` are numbered: the one for whose last run it
/// stands, or itself.
inline uint32_t wholeSection(const Program &program, uint32_t section) {
  uint32_t other = program.sections(int(section)).last_of();
  return other > 0 ? other - 1 : section;
}

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_LASTRUNS_H
