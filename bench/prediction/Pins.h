// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a row's model is split.
#pragma once

#include "bench/prediction/Rows.h"
#include "runtime/abi/pins.pb.h"

namespace pcc::bench {

abi::Pins makePins(const Row &row);

} // namespace pcc::bench
