// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simplifies chains of reshapes and transposes. A chain permutes the factors of its input:
//
//   [b,s,hd] reshape [b,s,h,d] transpose [b,h,s,d] reshape [bh,s,d] transpose [bh,d,s]
//            reshape [b,h,d,s]
//
// keeps the factors b, s, h, d and puts them in the order b, h, d, s. So one reshape to [b,s,h,d]
// and one transpose by [0,2,3,1] compute the same.
#pragma once

#include "passes/graph/Match.h"

namespace pcc::graph {

/// Rebuilds `value` by the shortest chain of reshapes and transposes from a value of its own chain.
/// Returns `value` itself if no chain is shorter. Makes at
/// most a reshape, a transpose and a reshape, before the insertion point.
mlir::Value simplifyShapeChain(mlir::Value value, mlir::PatternRewriter &rewriter);

/// Returns x with its last two dimensions exchanged, if `value` is a transpose of them or a reshape
/// of such a transpose which leaves them in place; else null.
mlir::Value findSwapped(mlir::Value value, mlir::PatternRewriter &rewriter);

/// Returns `value` with its last two dimensions exchanged, by the shortest chain.
mlir::Value swapMatrix(mlir::Value value, mlir::PatternRewriter &rewriter, mlir::Location loc);

} // namespace pcc::graph
