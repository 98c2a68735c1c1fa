// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads files of named tensors in the safetensors format (runtime/abi/Safetensors.h).
#pragma once

#include "compiler/import/TensorData.h"

namespace pcc::import {

struct NamedTensor {
  std::string name;
  TensorData data;
};

/// The tensors of the mapped file `path`, in the order of its header. The file is untrusted: a
/// header that does not fit, an unknown type, offsets outside the file, of the wrong size, with
/// gaps or overlapping, are errors. Nothing is returned after an error.
std::optional<std::vector<NamedTensor>> readSafetensors(llvm::StringRef path,
                                                        mlir::MLIRContext &context);

} // namespace pcc::import
