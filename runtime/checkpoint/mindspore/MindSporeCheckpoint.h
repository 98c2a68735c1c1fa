// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checkpoints of MindSpore. The `.ckpt` files of its ranks are read and merged by their
// strategy, and optimizer states get the names that they have in pcc.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"
#include "runtime/base/MappedFile.h"
#include "runtime/checkpoint/ImportTensors.h"
#include "runtime/checkpoint/Shards.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::runtime {

//===-- CkptFile.cpp --------------------------------------------------------------------------===//

// Reads MindSpore's `.ckpt` files, those that `mindspore.save_checkpoint` writes. A file is one
// protobuf message without an end of its own, so it may be larger than protobuf's limit of 2 GiB.
//
//   Checkpoint { repeated Value value = 1; }
//   Value { string tag = 1; TensorProto tensor = 2; }
//   TensorProto { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3; }

/// A tensor of a file.
struct CkptTensor {
  std::string name;
  abi::ElementType type = abi::F32;
  std::vector<int64_t> shape;
  /// The elements, row-major, one part behind the other: MindSpore cuts tensors above 512 MiB. None
  /// for a tensor without elements.
  std::vector<std::string_view> chunks;
};

/// A file and its tensors.
struct CkptFile {
  std::shared_ptr<const MappedFile> file; ///< in which the tensors lie
  std::vector<CkptTensor> tensors;
};

/// Reads the tensors of a file in its order, without texts and states of random numbers. Errors
/// (BadInput) name the file: not MindSpore's or encrypted, damaged, a tensor of an unknown type or
/// of the wrong size, two tensors of one name.
Expected<CkptFile> readCkpt(const std::string &path);

//===-- MindSporeCheckpoint.cpp ---------------------------------------------------------------===//

/// The tensors of a training of MindSpore.
struct MindSporeCheckpoint {
  /// Parameters first, then optimizer states.
  std::vector<TensorInPieces> tensors;
  /// Number of complete steps.
  int64_t step = 0;
  /// Texts of warnings: tensors that differ between ranks, and numbers that are left out.
  std::vector<std::string> warnings;
  std::vector<std::shared_ptr<const MappedFile>> files; ///< in which the tensors lie

  /// Says whether all bytes could be read so far (MappedFile::finishRead).
  Status checkRead() const;
};

/// Reads `path`: a `.ckpt` file of a whole model, or a folder with a folder `rank_N` for each rank.
/// If such a folder has several files NAME-EPOCH_STEP.ckpt, the last one counts. `strategies` are
/// the strategy files of a folder (readLayouts). Errors (BadInput) name file, tensor, and ranks:
/// ranks that are missing, files of different steps, slices that do not cover a tensor.
Expected<MindSporeCheckpoint> readMindSpore(const std::string &path,
                                            std::span<const std::string> strategies);

//===-- SliceLayout.cpp -----------------------------------------------------------------------===//

// How MindSpore splits parameters over ranks, as its strategy files say.
//
//   device matrix [2, 4], tensor map [0, -1], tensor [16, 32]
//   The last dimension of the device matrix splits dimension 0, so rank 5 = (1, 1) has rows 4 to 7.

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
