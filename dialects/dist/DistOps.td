// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dist dialect by families.
#ifndef PCC_DIALECTS_DIST_DISTOPS_TD
#define PCC_DIALECTS_DIST_DISTOPS_TD

include "dialects/dist/DistCollectives.td"
include "dialects/dist/DistExchanges.td"
include "dialects/dist/DistShardings.td"

#endif // PCC_DIALECTS_DIST_DISTOPS_TD
