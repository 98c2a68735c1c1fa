// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the interpreter's tensors and those of the device side.
#pragma once

#include "compiler/interpret/Signature.h"
#include "runtime/execute/Session.h"

namespace pcc::cli {

runtime::Tensor toRuntime(const interpret::Tensor &tensor);
interpret::Tensor toInterpreter(const runtime::Tensor &tensor);

/// The entries of `values` whose keys begin with `prefix`, by the rest of the key.
runtime::NamedTensors withoutPrefix(const interpret::NamedTensors &values, llvm::StringRef prefix);

} // namespace pcc::cli
