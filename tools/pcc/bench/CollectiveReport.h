// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats times of collectives as rows of a table and as JSON.
#pragma once

#include "tools/pcc/bench/CollectiveTimes.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// Returns the names of the columns; the link's column only if there is a link.
std::vector<std::string> timeColumns(const CollectiveTimeOptions &options);
/// Returns the cells of a row, in microseconds, bytes and GB/s.
std::vector<std::string> timeRow(const CollectiveTime &time);
/// Returns the same row in seconds and bytes.
llvm::json::Object toJson(const CollectiveTime &time);

} // namespace pcc::cli
