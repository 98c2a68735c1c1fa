// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits collectives of the dist dialect as instructions: groups become lists of ranks, positions
// become ranks.
#include "passes/lower/program/Program.h"

#include "dialects/dist/Group.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

static ReduceOp reductionOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return ReduceOp::Sum;
  case ReduceKind::Max:
    return ReduceOp::Max;
  case ReduceKind::Min:
    return ReduceOp::Min;
  case ReduceKind::Prod:
    return ReduceOp::Prod;
  }
  llvm_unreachable("a reduction");
}

/// Rows of equal length as a matrix.
static DenseIntElementsAttr matrix(Builder &b, ArrayRef<SmallVector<int64_t>> rows) {
  SmallVector<int64_t> flat;
  for (ArrayRef<int64_t> row : rows)
    flat.append(row.begin(), row.end());
  int64_t width = rows.empty() ? 0 : rows.front().size();
  return DenseIntElementsAttr::get(
      RankedTensorType::get({int64_t(rows.size()), width}, b.getI64Type()), flat);
}

namespace {
struct CollectiveEmitter {
  OpBuilder &b;
  Operation *op;
  Value source, destination;
  bool fused;
  dist::Mesh mesh = dist::getMesh(op);
  SmallVector<dist::RankList> lists = {};

  template <typename OpT, typename... Args> LogicalResult make(Args &&...args) {
    OpT::create(b, op->getLoc(), source, destination, groups(), std::forward<Args>(args)...);
    return success();
  }
  DenseIntElementsAttr groups() {
    SmallVector<SmallVector<int64_t>> rows;
    for (const dist::RankList &list : lists)
      rows.emplace_back(list.begin(), list.end());
    return matrix(b, rows);
  }
  RankAttr position(int64_t root) { return RankAttr::get(b.getContext(), root, {}, {}, {}); }

  /// Converts pairs of positions to pairs of ranks, for every group.
  DenseIntElementsAttr pairs(dist::TableAttr table) {
    SmallVector<SmallVector<int64_t>> rows;
    for (const dist::RankList &list : lists)
      for (DenseI64ArrayAttr pair : table.getRows())
        rows.push_back({list[pair[0]], list[pair[1]]});
    return matrix(b, rows);
  }
  /// Converts blocks `target, source, source offset, size, target offset` by position to moves
  /// `source, target, source start, size, target start` by rank.
  DenseIntElementsAttr moves(dist::TableAttr table) {
    SmallVector<SmallVector<int64_t>> rows;
    for (const dist::RankList &list : lists)
      for (DenseI64ArrayAttr block : table.getRows()) {
        SmallVector<int64_t> row{list[block[1]], list[block[0]]};
        llvm::append_range(row, block.asArrayRef().drop_front(2));
        rows.push_back(row);
      }
    return matrix(b, rows);
  }
  RankAttr peers(ArrayRef<int64_t> table) {
    return RankAttr::get(b.getContext(), 0, {}, {}, table);
  }
};
} // namespace

LogicalResult emitCollectiveInstruction(OpBuilder &b, Operation *op, Value source,
                                        Value destination, bool fused) {
  CollectiveEmitter e{b, op, source, destination, fused};
  if (auto collective = dyn_cast<dist::CollectiveOpInterface>(op)) {
    e.lists = dist::getGroups(collective.getGroupAttr(), e.mesh);
    if (!dist::getCommonGroupSize(collective.getGroupAttr(), e.mesh))
      return op->emitOpError() << "has no instruction: expected groups of equal size, got "
                               << collective.getGroupAttr();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](dist::AllReduceOp op) {
        return e.make<AllReduceOp>(reductionOf(op.getKind()), fused);
      })
      .Case([&](dist::AllGatherOp op) { return e.make<AllGatherOp>(op.getAxis(), fused); })
      .Case([&](dist::ReduceScatterOp op) {
        return e.make<ReduceScatterOp>(reductionOf(op.getKind()), op.getAxis(), fused);
      })
      .Case([&](dist::BroadcastOp op) { return e.make<BroadcastOp>(e.position(op.getRoot())); })
      .Case([&](dist::ReduceOp op) {
        return e.make<ReduceToOp>(reductionOf(op.getKind()), e.position(op.getRoot()));
      })
      .Case([&](dist::AllToAllOp op) {
        return e.make<AllToAllOp>(op.getSplitAxis(), op.getConcatAxis());
      })
      .Case([&](dist::CollectivePermuteOp op) {
        return e.make<CollectivePermuteOp>(e.pairs(op.getPairs()));
      })
      .Case([&](dist::BlockExchangeOp op) {
        auto sum = ReduceOpAttr::get(op.getContext(), ReduceOp::Sum);
        return e.make<BlockExchangeOp>(e.moves(op.getBlocks()),
                                       op.getAdding() ? sum : ReduceOpAttr());
      })
      .Case([&](dist::SendOp op) {
        SendOp::create(b, op.getLoc(), source, e.peers(op.getPeers()), op.getTag());
        return success();
      })
      .Case([&](dist::RecvOp op) {
        // A rank without a peer receives nothing, so its destination is filled with zeros first.
        if (llvm::is_contained(op.getPeers(), -1))
          FillOp::create(b, op.getLoc(), destination);
        RecvOp::create(b, op.getLoc(), destination, e.peers(op.getPeers()), op.getTag());
        return success();
      })
      .Case([&](dist::BarrierOp op) {
        // A barrier must also stop the rank's own work, so it runs on the compute stream.
        auto barrier = BarrierOp::create(b, op.getLoc(), e.groups());
        barrier.setStream(StreamKind::Compute);
        return success();
      })
      .Default([](Operation *op) {
        return op->emitOpError() << "has no instruction: expected a collective of the runtime";
      });
}

} // namespace pcc::lower
