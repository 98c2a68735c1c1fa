// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes which box each border is, in the sender's tile and in the receiver's result. Directions
// are numbered clockwise from north, so the opposite of one is four places on. Tiles are [batch,
// channels, rows, columns].
#include "dialects/dist/Neighbors.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace pcc::dist;

std::optional<unsigned> pcc::dist::findSentInput(NeighborExchangeOp op, int64_t position,
                                                 unsigned result) {
  ArrayRef<int64_t> sources = op.getReceive().getRows()[position].asArrayRef();
  int64_t source = sources[result];
  if (source < 0)
    return std::nullopt;
  int64_t before = llvm::count(sources.take_front(result), source);
  for (auto [input, target] : llvm::enumerate(op.getSend().getRows()[source].asArrayRef()))
    if (target == position && before-- == 0)
      return input;
  return std::nullopt;
}

namespace {

/// Directions of the eight neighbors, in the order of the op's tables: rows down, columns to the
/// right.
constexpr struct {
  int down, right;
} directions[] = {{-1, 0}, {-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}};
constexpr unsigned numNeighbors = std::size(directions);

/// Returns the index in the tables of the neighbor on the other side.
unsigned opposite(unsigned direction) { return (direction + numNeighbors / 2) % numNeighbors; }

/// Offset and size along one dimension.
struct Extent {
  int64_t start, size;
};

/// Returns the part of a tile of `size` that goes to the neighbor on the side `direction`.
Extent sentExtent(int direction, int64_t size, int64_t before, int64_t after) {
  if (direction < 0)
    return {0, before};
  return direction > 0 ? Extent{size - after, after} : Extent{0, size};
}

/// Returns the place in the tile with borders for data from the neighbor in `direction`.
Extent receivedExtent(int direction, int64_t size, int64_t before, int64_t after) {
  if (direction < 0)
    return {0, before};
  return direction > 0 ? Extent{before + size, after} : Extent{before, size};
}

/// A border in the neighbor's tile and in the result: rows, then columns.
struct Border {
  Extent sent[2], received[2];
};

Border getBorder(NeighborExchangeV2Op op, unsigned direction) {
  ArrayRef<int64_t> tile = cast<RankedTensorType>(op.getInput().getType()).getShape();
  ArrayRef<int64_t> send = op.getSendWidths(), receive = op.getReceiveWidths();
  int down = directions[direction].down, right = directions[direction].right;
  // Data from above is the neighbor's lowest rows.
  return {
      {sentExtent(-down, tile[2], send[0], send[1]), sentExtent(-right, tile[3], send[2], send[3])},
      {receivedExtent(down, tile[2], receive[0], receive[1]),
       receivedExtent(right, tile[3], receive[2], receive[3])}};
}

SmallVector<int64_t> makeMove(int64_t target, int64_t source, ArrayRef<int64_t> sourceOffset,
                              ArrayRef<int64_t> size, ArrayRef<int64_t> targetOffset) {
  SmallVector<int64_t> move = {target, source};
  for (ArrayRef<int64_t> part : {sourceOffset, size, targetOffset})
    llvm::append_range(move, part);
  return move;
}

/// Returns the move of the data that `position` receives from `direction`; nothing without a
/// neighbor, or if the border is empty.
std::optional<SmallVector<int64_t>> getMove(NeighborExchangeV2Op op, int64_t position,
                                            unsigned direction) {
  int64_t source = op.getReceive().getRows()[position][direction];
  auto [sent, received] = getBorder(op, direction);
  if (source < 0 || received[0].size == 0 || received[1].size == 0)
    return std::nullopt;
  ArrayRef<int64_t> tile = cast<RankedTensorType>(op.getInput().getType()).getShape();
  return makeMove(position, source, {0, 0, sent[0].start, sent[1].start},
                  {tile[0], tile[1], received[0].size, received[1].size},
                  {0, 0, received[0].start, received[1].start});
}

} // namespace

BoxMoves pcc::dist::getMoves(NeighborExchangeV2Op op) {
  ArrayRef<int64_t> tile = cast<RankedTensorType>(op.getInput().getType()).getShape();
  ArrayRef<int64_t> receive = op.getReceiveWidths();
  BoxMoves moves;
  int64_t positions = op.getReceive().getRows().size();
  for (int64_t position = 0; position < positions; ++position) {
    if (llvm::product_of(tile) > 0)
      moves.push_back(
          makeMove(position, position, {0, 0, 0, 0}, tile, {0, 0, receive[0], receive[2]}));
    for (unsigned direction = 0; direction < numNeighbors; ++direction)
      if (auto move = getMove(op, position, direction))
        moves.push_back(*move);
  }
  return moves;
}

std::string pcc::dist::describeMismatch(NeighborExchangeV2Op op) {
  for (auto [position, row] : llvm::enumerate(op.getReceive().getRows()))
    for (auto [direction, source] : llvm::enumerate(row.asArrayRef())) {
      if (source < 0)
        continue;
      if (op.getSend().getRows()[source][opposite(direction)] != int64_t(position))
        return ("position " + Twine(position) + " receives from position " + Twine(source) +
                ", which does not send to it on the opposite side")
            .str();
      auto [sent, received] = getBorder(op, direction);
      if (sent[0].size != received[0].size || sent[1].size != received[1].size)
        return ("expected a border of " + Twine(received[0].size) + "x" + Twine(received[1].size) +
                " from position " + Twine(source) + ", got " + Twine(sent[0].size) + "x" +
                Twine(sent[1].size))
            .str();
    }
  return "";
}

BoxMoves pcc::dist::transposeMoves(TableAttr moves) {
  BoxMoves reversed;
  for (DenseI64ArrayAttr row : moves.getRows()) {
    ArrayRef<int64_t> move = row.asArrayRef();
    size_t rank = (move.size() - 2) / 3;
    reversed.push_back(makeMove(move[1], move[0], move.take_back(rank), move.slice(2 + rank, rank),
                                move.slice(2, rank)));
  }
  return reversed;
}
