// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest of a checkpoint, its file `manifest.bin`: the letters "pcc.ckp" and a line feed, the
// XXH3 of the message, and a serialized CheckpointManifest.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/base/Base.h"

#include <string>

namespace pcc::runtime {

/// Name of the manifest in a checkpoint's folder. It is written last: a folder without it is
/// unfinished.
inline constexpr const char *manifestName = "manifest.bin";

/// Returns the manifest of the checkpoint `folder`. Errors (BadInput) name the file: it is missing,
/// damaged or does not fit together.
Expected<abi::CheckpointManifest> readManifest(const std::string &folder);

/// Writes the manifest of the checkpoint `folder`, as a whole or not at all.
Status writeManifest(const abi::CheckpointManifest &manifest, const std::string &folder);

/// Checks sizes, indices and file names, so that no other code has to. Checks that the blocks of
/// each tensor have as many elements as the tensor and lie in it.
Status validate(const abi::CheckpointManifest &manifest);

/// Returns the bytes of a block.
uint64_t bytesOf(const abi::CheckpointTensor &tensor, const abi::CheckpointBlock &block);

/// Returns the tensor named `name`, or null.
const abi::CheckpointTensor *findTensor(const abi::CheckpointManifest &manifest,
                                        const std::string &name);

} // namespace pcc::runtime
