// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of collectives as rows of a table and as JSON.
#pragma once

#include "tools/pcc/bench/CollectiveTimes.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

std::vector<std::string> headOfTimes(const CollectiveTimeOptions &options);
std::vector<std::string> rowOf(const CollectiveTime &time);
llvm::json::Object toJson(const CollectiveTime &time);

} // namespace pcc::cli
