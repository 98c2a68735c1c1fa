// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which run of another record a record waits for (Record.waits and Record.behind). Example, a ring
// of two copies that `b` reads and `a` writes, waiting for b with behind = 3:
//
//   slot of a, number   0   1   2     3     4
//   waits for b of      -   -   0     1     2

#ifndef PCC_RUNTIME_ABI_WAITS_H
#define PCC_RUNTIME_ABI_WAITS_H

#include "runtime/abi/program.pb.h"

#include <optional>

namespace pcc::abi {

/// Record.behind of a wait of a valid record: 0 for the last run.
inline uint32_t behindOf(const Record &record, int wait) {
  return record.behind_size() == 0 ? 0 : record.behind(wait);
}

/// The number of the run that a wait with `behind` from 1 on means in the slot of number `own`;
/// nothing where there is none.
inline std::optional<uint64_t> awaitedNumber(uint32_t behind, uint64_t own) {
  uint64_t distance = uint64_t(behind) - 1;
  return own < distance ? std::nullopt : std::optional(own - distance);
}

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_WAITS_H
