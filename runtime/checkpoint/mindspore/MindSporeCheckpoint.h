// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the `.ckpt` files of MindSpore's ranks by their strategy, and gives optimizer states the
// names that they have in pcc.

#pragma once

#include "runtime/checkpoint/ImportTensors.h"
#include "runtime/checkpoint/mindspore/CkptFile.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime {

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
/// the strategy files of a folder (SliceLayout.h). Errors (BadInput) name file, tensor, and ranks:
/// ranks that are missing, files of different steps, slices that do not cover a tensor.
Expected<MindSporeCheckpoint> readMindSpore(const std::string &path,
                                            std::span<const std::string> strategies);

} // namespace pcc::runtime
