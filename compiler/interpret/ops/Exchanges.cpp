// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between pairs of ranks.

#include "compiler/interpret/Blocks.h"
#include "compiler/interpret/TensorAttr.h"
#include "compiler/interpret/ops/Groups.h"
#include "dialects/dist/Dist.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

LogicalResult collectivePermute(dist::CollectivePermuteOp op, OpCall &call) {
  FailureOr<Joined> group = meetGroup(op, call);
  if (failed(group))
    return failure();
  Tensor received = zerosOf(cast<RankedTensorType>(op.getType()));
  for (DenseI64ArrayAttr pair : op.getPairs().getRows())
    if (pair[1] == group->position)
      received = group->meeting->gifts[pair[0]][0];
  call.results.push_back(received);
  return success();
}

LogicalResult blockExchange(dist::BlockExchangeOp op, OpCall &call) {
  FailureOr<Joined> group = meetGroup(op, call);
  if (failed(group))
    return failure();
  Tensor result = zerosOf(cast<RankedTensorType>(op.getType()));
  int64_t rank = result.getRank();
  for (DenseI64ArrayAttr row : op.getBlocks().getRows()) {
    llvm::ArrayRef<int64_t> numbers = row.asArrayRef();
    if (numbers[0] != group->position)
      continue;
    const Tensor &source = group->meeting->gifts[numbers[1]][0];
    insertBox(result, numbers.take_back(rank), source, numbers.slice(2, rank),
              numbers.slice(2 + rank, rank));
  }
  call.results.push_back(result);
  return success();
}

/// The place of the n-th `value` in `row`, counted from 0.
std::optional<size_t> findNth(llvm::ArrayRef<int64_t> row, int64_t value, size_t n) {
  for (auto [place, entry] : llvm::enumerate(row))
    if (entry == value && n-- == 0)
      return place;
  return std::nullopt;
}

LogicalResult neighborExchange(dist::NeighborExchangeOp op, OpCall &call) {
  FailureOr<Joined> group = meetGroup(op, call);
  if (failed(group))
    return failure();
  llvm::ArrayRef<int64_t> sources = op.getReceive().getRows()[group->position].asArrayRef();
  for (auto [index, source] : llvm::enumerate(sources)) {
    auto type = cast<RankedTensorType>(op.getResult(index).getType());
    if (source < 0) {
      call.results.push_back(zerosOf(type));
      continue;
    }
    // Several tensors between one pair of ranks keep their order.
    size_t nth = llvm::count(sources.take_front(index), source);
    std::optional<size_t> place =
        findNth(op.getSend().getRows()[source].asArrayRef(), group->position, nth);
    if (!place)
      return call.fail("position " + llvm::Twine(group->position) + " receives from position " +
                       llvm::Twine(source) + ", which does not send to it");
    call.results.push_back(group->meeting->gifts[source][*place]);
  }
  return success();
}

/// Where the eight neighbours lie, in the order of the op's tables: rows down, columns to the
/// right.
constexpr struct {
  int down, right;
} directions[8] = {{-1, 0}, {-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}};

/// Offset and size along one dimension.
struct Extent {
  int64_t start, size;
};

/// The part of a tile of `size` on the side `direction` that goes to the neighbour there.
Extent sentExtent(int direction, int64_t size, int64_t before, int64_t after) {
  if (direction < 0)
    return {0, before};
  return direction > 0 ? Extent{size - after, after} : Extent{0, size};
}

/// Where what comes from the neighbour in `direction` goes in the tile with borders.
Extent receivedExtent(int direction, int64_t size, int64_t before, int64_t after) {
  if (direction < 0)
    return {0, before};
  return direction > 0 ? Extent{before + size, after} : Extent{before, size};
}

LogicalResult neighborExchangeV2(dist::NeighborExchangeV2Op op, OpCall &call) {
  FailureOr<Joined> group = meetGroup(op, call);
  if (failed(group))
    return failure();
  const Tensor &tile = call.operands[0];
  Tensor result = zerosOf(cast<RankedTensorType>(op.getType()));
  llvm::ArrayRef<int64_t> send = op.getSendWidths(), receive = op.getReceiveWidths();
  int64_t samples = tile.getDim(0), channels = tile.getDim(1);
  int64_t height = tile.getDim(2), width = tile.getDim(3);
  insertBox(result, {0, 0, receive[0], receive[2]}, tile, {0, 0, 0, 0}, tile.getShape());
  llvm::ArrayRef<int64_t> sources = op.getReceive().getRows()[group->position].asArrayRef();
  for (auto [direction, source] : llvm::zip_equal(directions, sources)) {
    if (source < 0)
      continue;
    // What comes from above is the neighbour's lowest rows.
    Extent fromRows = sentExtent(-direction.down, height, send[0], send[1]);
    Extent fromColumns = sentExtent(-direction.right, width, send[2], send[3]);
    Extent rows = receivedExtent(direction.down, height, receive[0], receive[1]);
    Extent columns = receivedExtent(direction.right, width, receive[2], receive[3]);
    if (rows.size != fromRows.size || columns.size != fromColumns.size)
      return call.fail("expected a border of " + llvm::Twine(rows.size) + "x" +
                       llvm::Twine(columns.size) + " from position " + llvm::Twine(source) +
                       ", got " + llvm::Twine(fromRows.size) + "x" + llvm::Twine(fromColumns.size));
    insertBox(result, {0, 0, rows.start, columns.start}, group->meeting->gifts[source][0],
              {0, 0, fromRows.start, fromColumns.start},
              {samples, channels, rows.size, columns.size});
  }
  call.results.push_back(result);
  return success();
}

/// The channel of transfers; the group is the pair (source, target).
std::string transferChannel(int64_t source, int64_t target, int64_t tag, const std::string &type) {
  return "send from rank " + std::to_string(source) + " to rank " + std::to_string(target) +
         ", tag " + std::to_string(tag) + ", " + type;
}

/// Does not wait: that the order of sends and receives needs no buffer is proved elsewhere, on the
/// records.
LogicalResult send(dist::SendOp op, OpCall &call) {
  int64_t source = call.rank.getIndex(), target = op.getPeers()[source];
  if (target >= 0)
    call.rank.send({source, target}, /*position=*/0,
                   transferChannel(source, target, op.getTag(), call.operands[0].typeString()),
                   Gift(call.operands));
  return success();
}

LogicalResult recv(dist::RecvOp op, OpCall &call) {
  int64_t target = call.rank.getIndex(), source = op.getPeers()[target];
  Tensor result = zerosOf(cast<RankedTensorType>(op.getType()));
  if (source >= 0) {
    auto meeting =
        call.rank.meet(op, {source, target}, /*position=*/1,
                       transferChannel(source, target, op.getTag(), result.typeString()), Gift());
    if (failed(meeting))
      return failure();
    result = (*meeting)->gifts[0][0];
  }
  call.results.push_back(result);
  return success();
}

} // namespace

void registerExchanges(Registry &registry) {
  registry.add<dist::CollectivePermuteOp>(collectivePermute);
  registry.add<dist::BlockExchangeOp>(blockExchange);
  registry.add<dist::NeighborExchangeOp>(neighborExchange);
  registry.add<dist::NeighborExchangeV2Op>(neighborExchangeV2);
  registry.add<dist::SendOp>(send);
  registry.add<dist::RecvOp>(recv);
}

} // namespace pcc::interpret
