// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages and recompute annotations that are given from outside, by the names of ops, as an
// attribute of the module.
//
//   pipe.constraints = [
//     {module = "/encoder", stage = 0 : i64, place = "constraints.textproto:3"},
//     {op = "/h\\.\\d+/attn/.*", recompute},
//     {module = "/h\\.\\d+/attn/softmax", recompute = false},
//     {op_name = "head", stage = 1 : i64, marked},
//     {layer = "/h\\.(\\d+)/", layout = "E t*2 | t*2 L"}]
//
// `op` and `module` are regular expressions for whole names and for leading parts of names.
// `op_name` is a literal name, and `layer` matches any part. Entries with `marked` were attributes
// of ops; they may match no op any more. Every other entry matches some op.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace pcc::pipe {

inline constexpr llvm::StringLiteral constraintsAttrName = "pipe.constraints";

} // namespace pcc::pipe
