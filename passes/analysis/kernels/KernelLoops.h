// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the loops of kernels, and which ops one pass of loops computes.
//
// The form of a kernel (task::FormAttr) is the kind and the sizes of its loops: a map, a reduction
// of rows or columns, or a library call.
//
// The loops of a kernel run over outer × inner elements. A value of the kernel is *full* (one
// element per iteration) or *reduced* (one per row, in form rows; one per column, in form columns).
// A full value may be read only at the same element, a reduced value only at the same row. So a
// kernel can contain a reduction and the ops that need its row again:
//
//   max = reduce max x, 1      full → reduced      rows 32 x 10
//   d   = sub x, broadcast max reduced → full
//   e   = exp d                full
//   s   = reduce sum e, 1      full → reduced
//
// Composites have the loops of the main kernel of their decomposition: softmax those of its rows.
#pragma once

#include "dialects/task/Task.h"
#include "mlir/IR/Operation.h"

namespace pcc::analysis {

/// Loops of a kernel; see task::FormAttr.
struct KernelLoops {
  task::FormKind kind = task::FormKind::Map;
  int64_t outer = 1;
  int64_t inner = 1;

  int64_t full() const { return outer * inner; }
  /// Number of elements of a reduced value; 0 if the form has none.
  int64_t reduced() const;
  bool operator==(const KernelLoops &other) const = default;
};

/// Returns the loops of `op` as a kernel of its own.
KernelLoops loopsOf(mlir::Operation *op);

/// Returns true if the kernel is a library call, a collective or a scatter instead of a map or a
/// reduction.
bool isSpecialKernel(const KernelLoops &loops);

/// Returns true if the reduction's loops leave most threads without work. Then it is better to
/// compute its operand with all threads in another kernel, and to read the result again.
bool isNarrow(const KernelLoops &loops);

/// Returns the loops that compute both kernels, or nothing. Two reductions need equal loops, two
/// maps equal sizes. A map joins a reduction of the same full or reduced size; a narrow reduction
/// takes only a map of its reduced size.
std::optional<KernelLoops> unite(const KernelLoops &a, const KernelLoops &b);

/// Returns true if one pass of `loops` computes all of `ops`. Each op must have a full or reduced
/// value, and values must be read at the element at which they are computed.
bool fits(llvm::ArrayRef<mlir::Operation *> ops, const KernelLoops &loops);

/// Returns true if `op` reads its operands from memory instead of element by element.
bool readsMemory(mlir::Operation *op);

} // namespace pcc::analysis
