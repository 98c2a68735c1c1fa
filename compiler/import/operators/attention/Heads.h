// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads of an attention. Tensors of three dimensions, [batch, positions, heads · width], are
// converted to [batch, heads, positions, width] and back.
#pragma once

#include "compiler/import/emit/Node.h"

namespace pcc::import {

/// Converts [batch, positions, heads · width] to [batch, heads, positions, width]. `attribute` is
/// the name of the operator's attribute with the number of heads. A tensor of rank 4 is returned as
/// it is. Returns null after an error.
Tensor separateHeads(Node &node, const Tensor &x, llvm::StringRef attribute);

/// Converts heads back to three dimensions, unless `like`, the operator's input, has four. Returns
/// null if `x` is.
Tensor joinHeads(Emitter &emit, const Tensor &x, const Tensor &like);

} // namespace pcc::import
