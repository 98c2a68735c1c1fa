// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters as files.

#ifndef PCC_RUNTIME_CHECKPOINT_SAVEPARAMETERS_H
#define PCC_RUNTIME_CHECKPOINT_SAVEPARAMETERS_H

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <functional>
#include <string>
#include <vector>

namespace pcc::runtime {

/// Checks before a run that its parameters can be saved as `path`: BadUsage unless the name ends in
/// `.safetensors`, BadInput if no file can be written there.
Status checkSavePath(const std::string &path);

/// Writes the parameters of the model, without the optimizer's states, to the safetensors file
/// `path`, each under its name and whole, pieces of one tensor put together: `globalOf` gives the
/// bytes of a parameter's global value. One tensor is in memory at a time. The file is complete or
/// not there. The error names it.
Status
saveParameters(const std::string &path, const abi::Program &program,
               const std::function<std::vector<std::byte>(const abi::Parameter &)> &globalOf);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_CHECKPOINT_SAVEPARAMETERS_H
