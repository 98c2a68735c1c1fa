// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a row's model is split.
#pragma once

#include "runtime/abi/pins.pb.h"
#include "test/conformance/prediction/Rows.h"

namespace pcc::conformance {

abi::Pins makePins(const Row &row);

} // namespace pcc::conformance
