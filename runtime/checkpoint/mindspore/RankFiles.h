// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the `.ckpt` file of each rank in a folder as MindSpore writes it.
//
//   rank_0/gpt-1_50.ckpt  rank_0/gpt-2_50.ckpt  rank_1/gpt-1_50.ckpt  rank_1/gpt-2_50.ckpt
//   The files of epoch 2, step 50.

#pragma once

#include "runtime/base/Base.h"

#include <map>
#include <string>

namespace pcc::runtime {

/// Returns whether a folder has a folder `rank_N`.
bool hasRankFolders(const std::string &folder);

/// Returns the path of the last file of each rank. Errors (BadInput): no folder of a rank or two, a
/// folder without a file, with files of several trainings, or with several that have no epoch and
/// step; ranks with different last steps.
Expected<std::map<int64_t, std::string>> findRankFiles(const std::string &folder);

} // namespace pcc::runtime
