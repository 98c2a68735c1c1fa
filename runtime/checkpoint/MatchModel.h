// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the tensors of a checkpoint with the parameters of a program.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/base/Base.h"

namespace pcc::runtime {

/// Returns the tensor from which a parameter is read: its own, or the whole tensor of which it is a
/// part. Null if the checkpoint has neither.
const abi::CheckpointTensor *findStored(const abi::CheckpointManifest &manifest,
                                        const abi::Parameter &parameter);

/// Returns success if the program has the model and the optimizer of the checkpoint: names, element
/// types and global shapes are equal. Shardings, stages and ranks may differ. A program without a
/// training step needs no optimizer states. Otherwise a BadInput that names the first difference,
/// what was expected and what the checkpoint has.
Status matchModel(const abi::CheckpointManifest &manifest, const abi::Executable &executable);

} // namespace pcc::runtime
