// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the tensors of a checkpoint as one safetensors file.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/base/Base.h"

#include <string>

namespace pcc::runtime {

/// Writes the parameters of the checkpoint `folder` to the safetensors file `path`, as `--save`
/// would have done: without optimizer states, and with the parts of a tensor joined. With
/// `withStates`, optimizer states follow under the names of torch (StateNames.h), and the number of
/// updates of each trained parameter. torch has this number for some optimizers only, and ignores
/// it for others. Checks the shards first. Errors name the file, or a state that torch does not
/// have.
Status exportTensors(const std::string &folder, const abi::CheckpointManifest &manifest,
                     const std::string &path, bool withStates);

} // namespace pcc::runtime
