// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes tensors of files in other formats as a checkpoint, or as one safetensors file.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/base/Base.h"
#include "runtime/checkpoint/Shards.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::runtime {

/// A box of a tensor in memory.
struct TensorPiece {
  TensorBox box;
  /// The elements, row-major, one part behind the other.
  std::vector<std::string_view> chunks;
};

/// A tensor in memory. Its pieces cover it and do not overlap.
struct TensorInPieces {
  std::string name;
  abi::ElementType type = abi::F32;
  std::vector<int64_t> shape;
  std::vector<TensorPiece> pieces;
  std::string stateOf; ///< the parameter of which this is an optimizer state; empty: none
};

/// Returns the pieces of a tensor whose elements are all in `bytes`.
std::vector<TensorPiece> wholePiece(const std::vector<int64_t> &shape, std::string_view bytes);

/// Writes `tensors` as the checkpoint `folder`, of which a training can begin after `step` steps.
/// The folder appears complete or not at all; it must not exist. Errors (BadInput): two tensors of
/// one name, or a file that cannot be written.
Status importTensors(std::span<const TensorInPieces> tensors, int64_t step,
                     const std::string &pccVersion, const std::string &folder);

/// Writes `tensors` to the safetensors file `path`, as a whole or not at all. One tensor is joined
/// at a time.
Status saveTensors(std::span<const TensorInPieces> tensors, const std::string &path);

} // namespace pcc::runtime
