// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WidenParameters: gives a model of bf16 or f16 parameters of f32, the master weights of mixed
// precision. The ops stay in the half type; each parameter is cast to it once.
//
// An update of a half parameter is lost if it is less than half of the distance between two of its
// values: 1.0 - 1e-3 is 1.0 in bf16. Master weights keep it. Source: Micikevicius et al.: Mixed
// precision training, ICLR 2018, section 3.1.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace pcc {

/// Returns the pass, on modules (`--widen-parameters`). `type` is the half type of the model,
/// "bf16" or "f16"; parameters of the other one are an error, and so are all if it is "f32".
std::unique_ptr<mlir::Pass> createWidenParametersPass(llvm::StringRef type = "bf16");

/// Registers the pass by flag.
void registerWidenParametersPass();

} // namespace pcc
