// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How MindSpore splits parameters over ranks, as its strategy files say.
//
//   device matrix [2, 4], tensor map [0, -1], tensor [16, 32]
//   The last dimension of the device matrix splits dimension 0, so rank 5 = (1, 1) has rows 4 to 7.

#pragma once

#include "runtime/base/Base.h"
#include "runtime/checkpoint/Shards.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime {

/// How one parameter is split over the ranks of a pipeline stage.
struct SliceLayout {
  std::vector<int64_t> deviceMatrix;
  /// For each dimension the dimension of the device matrix that splits it, counted from the right;
  /// -1: none.
  std::vector<int64_t> tensorMap;
  /// A sharded optimizer splits each slice along dimension 0 over `shards` ranks that are
  /// `shardStep` ranks apart. `shards` 1: none does.
  int64_t shardStep = 1, shards = 1;

  int64_t ranks() const;
};

/// A rank's slice, and the shape of the whole tensor.
struct PlacedSlice {
  std::vector<int64_t> wholeShape;
  TensorBox box;
};

/// Returns the place of the slice of shape `local` that `rank` of the stage holds. Errors
/// (BadInput): the layout has another number of dimensions.
Expected<PlacedSlice> placeSlice(const SliceLayout &layout, const std::vector<int64_t> &local,
                                 int64_t rank);

/// The layouts of a pipeline stage by the names of parameters.
using StageLayouts = std::map<std::string, SliceLayout>;

/// Reads strategy files: one for each stage, or one that MindSpore has merged. The suffix `.json`
/// selects JSON, any other protobuf's binary form. Returns the layouts of each stage. Errors
/// (BadInput) name the file: no strategy, a stage that is missing or there twice, an unknown form
/// of split.
Expected<std::vector<StageLayouts>> readLayouts(std::span<const std::string> paths);

} // namespace pcc::runtime
