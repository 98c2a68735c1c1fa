// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether any two of many records touch common bytes, in the time of a sort.

#ifndef PCC_RUNTIME_ABI_FINDCONFLICT_H
#define PCC_RUNTIME_ABI_FINDCONFLICT_H

#include "runtime/abi/program.pb.h"

#include <optional>
#include <span>

namespace pcc::abi {

/// The place of a record that conflicts with another one (mayConflict, OperandRanges.h). The
/// records are valid, so what one touches is apart, or the same range.
std::optional<size_t> findConflict(const Executable &executable, const Program &program,
                                   std::span<const Record *const> records);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_FINDCONFLICT_H
