// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of collectives as rows of a table and as JSON.
#pragma once

#include "tools/pcc/bench/CollectiveTimes.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// The names of the columns; that of the link only where there is one.
std::vector<std::string> headOfTimes(const CollectiveTimeOptions &options);
/// The cells of a row, in microseconds, bytes and GB/s.
std::vector<std::string> rowOf(const CollectiveTime &time);
/// The same in seconds and bytes.
llvm::json::Object toJson(const CollectiveTime &time);

} // namespace pcc::cli
