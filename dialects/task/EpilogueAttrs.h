// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotations that phase fuse sets before kernels are chosen (rule T20 of docs/spec/task.md): which
// ops the instruction of a matmul or of attention also computes.
//
// `task.matmul_group` on a matmul and all ops that are part of its instruction: the id of the
// group, unique in the function.
//
// `task.activation` on the matmul: the activation that its instruction also computes, if it is gelu
// or the gradient of one. A ReLU is an op of the group.
//
// `task.attention` on an attention, or its gradient, and all transposes that are part of its
// instruction: the id of the group, unique in the function.
//
// The last one is set by phase llvm. `task.tf32` on a module with kernels for GPUs: matmuls,
// convolutions and attention of f32 may round their operands to TF32.
#pragma once

namespace pcc::task {

inline constexpr const char *matmulGroupAttrName = "task.matmul_group";
inline constexpr const char *activationAttrName = "task.activation";
inline constexpr const char *attentionAttrName = "task.attention";
inline constexpr const char *tf32AttrName = "task.tf32";

} // namespace pcc::task
