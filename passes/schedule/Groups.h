// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of ops on the way to kernels. Every op starts as a group; groups join where a single pass
// of loops computes both and no op outside would have to run between them.
//
// The loops of a group run over outer × inner elements. A value of the group is *full* (one element
// per iteration) or *reduced* (one per row, in form rows; one per column, in form columns). A full
// value may be read at the same element only, a reduced one at the same row; so a reduction can be
// followed, in the same kernel, by everything that needs its row again:
//
//   max = reduce max x, 1      full → reduced      rows 32 x 10
//   d   = sub x, broadcast max reduced → full
//   e   = exp d                full
//   s   = reduce sum e, 1      full → reduced
#pragma once

#include "passes/facts/Kernels.h"
#include <list>

namespace pcc::schedule {

/// The loops of a group; see task::FormAttr.
struct Loops {
  task::FormKind kind = task::FormKind::Map;
  int64_t outer = 1;
  int64_t inner = 1;

  int64_t full() const { return outer * inner; }
  /// Elements of a reduced value; 0 where there are none.
  int64_t reduced() const;
};

/// Ops that will be one kernel, in program order.
struct Group {
  Loops loops;
  llvm::SmallVector<mlir::Operation *, 4> ops;
};

/// True if the reduction's loops leave most threads without work: what comes before is better done
/// by all of them, and its result read again.
bool isNarrow(const Loops &loops);

/// The loops that `op` asks for when it stands alone.
Loops loopsOf(mlir::Operation *op);

/// True if one pass of `loops` computes all of `ops`: each has a full or reduced value, and values
/// are read at the element at which they are computed.
bool fits(llvm::ArrayRef<mlir::Operation *> ops, const Loops &loops);

/// The groups of a function under construction.
class Groups {
public:
  explicit Groups(mlir::func::FuncOp function);

  Group *of(mlir::Operation *op) const { return groupOf.lookup(op); }
  /// Joins two different groups under `loops` if no third group would have to run between them.
  bool join(Group *a, Group *b, const Loops &loops);
  /// The groups in an order in which they can run, as near to the program's as possible.
  llvm::SmallVector<Group *> order() const;
  size_t numOps() const { return groupOf.size(); }

private:
  bool dependsThroughOthers(Group *from, Group *to) const;

  std::list<Group> groups;
  /// Sends, receives and barriers stay in the program's order, for ranks wait for one another
  /// there. Groups of them never join.
  llvm::DenseMap<Group *, Group *> nextEffect;
  llvm::DenseMap<mlir::Operation *, Group *> groupOf;
};

/// Joins products and attentions with the ops that have their mark (dialects/task/Products.h).
/// Error: a mark on ops that no record does.
llvm::LogicalResult joinMarked(Groups &groups, mlir::func::FuncOp function);

/// Joins a product or a convolution with the bias and the rectifier that follow it.
void joinEpilogues(Groups &groups, mlir::func::FuncOp function);

/// Joins elementwise ops, reductions and index maps with the producers of their operands.
void joinProducers(Groups &groups, mlir::func::FuncOp function);

} // namespace pcc::schedule
