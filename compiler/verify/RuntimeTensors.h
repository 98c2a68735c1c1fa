// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between tensors of the interpreter and of the runtime.
#pragma once

#include "compiler/interpret/function/Signature.h"
#include "runtime/execute/Session.h"

namespace pcc::verify {

runtime::Tensor toRuntime(const values::Tensor &tensor);
values::Tensor toInterpreter(const runtime::Tensor &tensor);

/// Returns the entries of `values` whose keys begin with `prefix`, keyed by the rest of the key.
runtime::NamedTensors withoutPrefix(const interpret::NamedTensors &values, llvm::StringRef prefix);

} // namespace pcc::verify
