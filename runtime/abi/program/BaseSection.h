// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections whose last run in a step is replaced by another section, which does additional work.
//
//   actions             backward[0]  backward[1]  backward_last[2]
//   runs of @backward       0            1              2

#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::abi {

/// Returns the section whose runs are numbered together with the runs of `section`: the section
/// that it replaces in the last run, or itself.
inline uint32_t baseSection(const Program &program, uint32_t section) {
  uint32_t other = program.sections(int(section)).last_of();
  return other > 0 ? other - 1 : section;
}

} // namespace pcc::abi
