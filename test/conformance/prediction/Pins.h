// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a row's model is split.
#pragma once

#include "runtime/abi/constraints.pb.h"
#include "test/conformance/prediction/Rows.h"

namespace pcc::conformance {

/// `chunks`: of each stage; the layers are dealt out evenly.
abi::Constraints makePins(const Row &row, int chunks);

} // namespace pcc::conformance
