// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the work of one collective into work units that any member may do, in any order. The cut
// depends only on sizes, and each unit reduces in the order of positions. So the bits never depend
// on which member does a unit.

#pragma once

#include "runtime/collective/SameCalls.h"

namespace pcc::runtime::local {

/// Returns the number of units; 0 if there is nothing to do.
int64_t workUnitCount(MemberCalls calls);

/// Does unit number `unit`. A null destination is not written: that member computes it itself.
void doWorkUnit(MemberCalls calls, int64_t unit);

} // namespace pcc::runtime::local
