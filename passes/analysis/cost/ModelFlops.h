// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of a model in one training step, by element type. Phase grad records it in the module,
// before values are recomputed and before ranks share or repeat work:
//
//   module attributes {pcc.model_flops = {BF16 = 6.4e12, F32 = 1.2e9}}
//
// Model flops utilization compares it with the peak of the devices (Chowdhery et al., "PaLM:
// Scaling Language Modeling with Pathways", 2022, appendix B).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/types.pb.h"
#include <map>

namespace pcc::analysis {

/// Flops of matmuls, convolutions and attention, forward and backward, by the type of their
/// elements.
using ModelFlops = std::map<abi::ElementType, double>;

/// Counts the work of the step of `module`, whose shapes are global. Causal attention counts half.
/// Empty if the module has no step, or if its ops are those of one rank.
ModelFlops countModelFlops(mlir::ModuleOp module);

/// Stores `flops` in the attribute of the module.
void recordModelFlops(mlir::ModuleOp module, const ModelFlops &flops);

/// Returns the recorded work; empty if there is none.
ModelFlops readModelFlops(mlir::ModuleOp module);

} // namespace pcc::analysis
