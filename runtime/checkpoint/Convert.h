// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between checkpoints and single files of parameters.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/base/Base.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::runtime {

/// A whole tensor in memory.
struct WholeTensor {
  std::string name;
  abi::ElementType type = abi::F32;
  std::vector<int64_t> shape;
  std::string_view bytes;
};

/// Writes the parameters of the checkpoint `folder` to the safetensors file `path`, as `--save`
/// would have done: without optimizer states, and with the parts of a tensor joined. Checks the
/// shards first. Errors name the file.
Status exportParameters(const std::string &folder, const abi::CheckpointManifest &manifest,
                        const std::string &path);

/// Writes `tensors` as the checkpoint `folder`, of which a training can begin: step 0 and no
/// optimizer states. The folder appears complete or not at all; it must not exist.
Status importParameters(std::span<const WholeTensor> tensors, const std::string &pccVersion,
                        const std::string &folder);

} // namespace pcc::runtime
