// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotations of matmuls and attentions: ops that their instruction computes besides. They are set
// before kernels are chosen (T20).
//
// `task.matmul_group` on a matmul and all ops that are part of its instruction: a number, one for
// each such matmul of a function.
//
// `task.activation` on the matmul: the instruction's activation, unless it is a ReLU.
//
// `task.attention` on an attention, or its gradient, and all transposes that are part of its
// instruction: a number, one for each such attention of a function.
//
// `task.tf32` on a module with kernels for GPUs: matmuls, convolutions and attention of f32 may
// round their factors to TF32.
#pragma once

namespace pcc::task {

inline constexpr const char *matmulGroupAttrName = "task.matmul_group";
inline constexpr const char *activationAttrName = "task.activation";
inline constexpr const char *attentionAttrName = "task.attention";
inline constexpr const char *tf32AttrName = "task.tf32";

} // namespace pcc::task
