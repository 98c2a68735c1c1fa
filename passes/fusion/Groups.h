// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of ops that will become kernels. Every op starts as a group. Two groups join if a single
// pass of loops computes both and no other op would have to run between them.
//
// The loops of a group run over outer × inner elements. A value of the group is *full* (one element
// per iteration) or *reduced* (one per row, in form rows; one per column, in form columns). A full
// value may be read only at the same element, a reduced value only at the same row. So a kernel can
// contain a reduction and the ops that need its row again:
//
//   max = reduce max x, 1      full → reduced      rows 32 x 10
//   d   = sub x, broadcast max reduced → full
//   e   = exp d                full
//   s   = reduce sum e, 1      full → reduced
#pragma once

#include "passes/analysis/kernels/Kernels.h"
#include <list>

namespace pcc::fusion {

/// Loops of a group; see task::FormAttr.
struct Loops {
  task::FormKind kind = task::FormKind::Map;
  int64_t outer = 1;
  int64_t inner = 1;

  int64_t full() const { return outer * inner; }
  /// Number of elements of a reduced value; 0 if the form has none.
  int64_t reduced() const;
};

/// Ops that will be one kernel, in program order.
struct Group {
  Loops loops;
  llvm::SmallVector<mlir::Operation *, 4> ops;
};

/// Whether the reduction's loops leave most threads without work. Then it is better to compute its
/// operand with all threads in another kernel, and to read the result again.
bool isNarrow(const Loops &loops);

/// Returns the loops of `op` as a kernel of its own.
Loops loopsOf(mlir::Operation *op);

/// Whether one pass of `loops` computes all of `ops`. Each op must have a full or reduced value,
/// and values must be read at the element at which they are computed.
bool fits(llvm::ArrayRef<mlir::Operation *> ops, const Loops &loops);

/// Groups of a function under construction.
class Groups {
public:
  explicit Groups(mlir::func::FuncOp function);

  Group *of(mlir::Operation *op) const { return groupOf.lookup(op); }
  /// Joins two different groups under `loops` unless a third group would have to run between them.
  bool join(Group *a, Group *b, const Loops &loops);
  /// Returns the groups in an executable order, as close to program order as possible.
  llvm::SmallVector<Group *> order() const;
  size_t numOps() const { return groupOf.size(); }

private:
  bool dependsThroughOthers(Group *from, Group *to) const;

  std::list<Group> groups;
  /// Next group of sends, receives or barriers. These groups stay in program order, because ranks
  /// wait for one another there. They never join.
  llvm::DenseMap<Group *, Group *> nextEffect;
  llvm::DenseMap<mlir::Operation *, Group *> groupOf;
};

/// Joins matmuls and attentions with the ops that have the same annotation
/// (dialects/task/EpilogueAttrs.h). Fails if an annotated op does not fit the instruction.
llvm::LogicalResult joinAnnotated(Groups &groups, mlir::func::FuncOp function);

/// Joins a matmul or a convolution with the bias and the ReLU that follow it.
void joinEpilogues(Groups &groups, mlir::func::FuncOp function);

/// Joins elementwise ops, reductions and index maps with the producers of their operands.
void joinProducers(Groups &groups, mlir::func::FuncOp function);

} // namespace pcc::fusion
