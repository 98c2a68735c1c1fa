// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads files of named tensors in the safetensors format (runtime/abi/files/Safetensors.h).
#pragma once

#include "compiler/import/files/TensorData.h"

namespace pcc::import {

struct NamedTensor {
  std::string name;
  TensorData data;
  /// Other names of the same tensor in the model that was saved, such as those of a tied parameter.
  /// safetensors.torch.save_model stores each tensor once, and these names in the metadata.
  std::vector<std::string> aliases = {};
};

/// Reads the tensors of the mapped file `path`, in the order of its header. If the file ends in
/// .json, it is an index (`model.safetensors.index.json`) that names the file of each tensor,
/// beside the index. The files are untrusted. Errors are a header that does not fit, an unknown
/// type, and offsets that are outside the file, have the wrong size, leave gaps or overlap. Returns
/// nothing after an error.
std::optional<std::vector<NamedTensor>> readSafetensors(llvm::StringRef path,
                                                        mlir::MLIRContext &context);

} // namespace pcc::import
