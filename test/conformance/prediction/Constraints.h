// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints that split the model of a row.
#pragma once

#include "runtime/abi/constraints.pb.h"
#include "test/conformance/prediction/Rows.h"

namespace pcc::conformance {

/// Makes the constraints; `chunks` is the number of virtual stages of each stage. The layers are
/// dealt out evenly.
abi::Constraints makeConstraints(const Row &row, int chunks);

} // namespace pcc::conformance
