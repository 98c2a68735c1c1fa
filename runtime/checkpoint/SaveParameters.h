// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saves parameters to files: those of a run, or of a checkpoint.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <functional>
#include <string>
#include <vector>

namespace pcc::runtime {

/// Checks before a run that its parameters can be saved as `path`. BadUsage unless the name ends in
/// `.safetensors`; else as checkOutputPath (Files.h).
Status checkSavePath(const std::string &path);

/// Returns the bytes of a parameter's global value.
using GlobalOf = std::function<Expected<std::vector<std::byte>>(const abi::Parameter &)>;

/// Writes the parameters of the model, without the optimizer's states, to the safetensors file
/// `path`. Each tensor is whole: parts of one tensor are joined. One tensor is in memory at a time.
/// The file is complete, or stays as it was. Errors: those of `globalOf`; and errors that name the
/// file, because it cannot be written or because, with `mustBeFinite`, a trained parameter holds an
/// infinity or a NaN (Failed).
Status saveParameters(const std::string &path, const abi::Program &program,
                      const GlobalOf &globalOf, bool mustBeFinite = false);

//===-- ExportTensors.cpp ---------------------------------------------------------------------===//

/// Writes the parameters of the checkpoint `folder` to the safetensors file `path`, as `--save`
/// would have done: without optimizer states, and with the parts of a tensor joined. With
/// `withStates`, optimizer states follow under the names of torch (StateNames.h), and the number of
/// updates of each trained parameter. torch has this number for some optimizers only, and ignores
/// it for others. Checks the shards first. Errors name the file, or a state that torch does not
/// have.
Status exportTensors(const std::string &folder, const abi::CheckpointManifest &manifest,
                     const std::string &path, bool withStates);

} // namespace pcc::runtime
