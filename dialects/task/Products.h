// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of products and attentions with what a record does besides, set before kernels are chosen
// (T20).
//
// `task.product` on a product and all ops that are part of its record: a number, one for each such
// product of a function.
//
// `task.activation` on the product: the record's activation, where it is more than a rectifier.
//
// `task.attention` on an attention, or its gradient, and all transposes that are part of its
// record: a number, one for each such attention of a function.
//
// `task.tf32` on a module with kernels for GPUs: products, convolutions and attention of f32 may
// round their factors to TF32.
#pragma once

namespace pcc::task {

inline constexpr const char *productAttrName = "task.product";
inline constexpr const char *activationAttrName = "task.activation";
inline constexpr const char *attentionAttrName = "task.attention";
inline constexpr const char *tf32AttrName = "task.tf32";

} // namespace pcc::task
