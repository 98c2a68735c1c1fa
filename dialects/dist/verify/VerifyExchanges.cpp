// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the transfers between pairs of ranks.
#include "dialects/dist/Checks.h"
#include "dialects/dist/Neighbors.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

static LogicalResult verifyPosition(Operation *op, int64_t position, int64_t size, int64_t least) {
  if (position < least || position >= size)
    return op->emitOpError() << "expected positions from " << least << " to " << size - 1
                             << ", got " << position;
  return success();
}

// C14
LogicalResult CollectivePermuteOp::verify() {
  FailureOr<int64_t> size = getEqualGroupSize(*this, getGroupAttr());
  if (failed(size))
    return failure();
  llvm::DenseSet<int64_t> sources, targets;
  for (DenseI64ArrayAttr pair : getPairs().getRows()) {
    if (pair.size() != 2)
      return emitOpError() << "expected pairs of source and target, got a row of " << pair.size();
    for (int64_t position : pair.asArrayRef())
      if (failed(verifyPosition(*this, position, *size, 0)))
        return failure();
    if (!sources.insert(pair[0]).second)
      return emitOpError() << "position " << pair[0] << " is a source twice";
    if (!targets.insert(pair[1]).second)
      return emitOpError() << "position " << pair[1] << " is a target twice";
  }
  return success();
}

/// Verifies that the box at `offset` lies within a tensor of `type`.
static LogicalResult verifyBox(Operation *op, ArrayRef<int64_t> offset, ArrayRef<int64_t> size,
                               RankedTensorType type) {
  for (auto [start, count, limit] : llvm::zip_equal(offset, size, type.getShape()))
    if (start < 0 || count < 1 || start > limit - count)
      return op->emitOpError() << "expected boxes within " << type << ", got offset [" << offset
                               << "] and size [" << size << "]";
  return success();
}

/// Verifies C21: only numbers can be added.
static LogicalResult verifyNumbers(Operation *op, RankedTensorType type) {
  if (type.getElementType().isInteger(1))
    return op->emitOpError() << "expected numbers to add, got " << type;
  return success();
}

// C15
LogicalResult BlockExchangeOp::verify() {
  FailureOr<int64_t> groupSize = getEqualGroupSize(*this, getGroupAttr());
  if (failed(groupSize))
    return failure();
  auto input = cast<RankedTensorType>(getInput().getType()),
       result = cast<RankedTensorType>(getType());
  if (input.getRank() != result.getRank() || input.getElementType() != result.getElementType())
    return emitOpError() << "expected a result of the rank and element type of " << input
                         << ", got " << result;
  int64_t rank = input.getRank();
  SmallVector<int64_t> covered(*groupSize, 0);
  for (DenseI64ArrayAttr row : getBlocks().getRows()) {
    if (row.size() != 2 + 3 * rank)
      return emitOpError() << "expected rows of " << 2 + 3 * rank << " numbers, got " << row.size();
    ArrayRef<int64_t> numbers = row.asArrayRef(), boxSize = numbers.slice(2 + rank, rank);
    if (failed(verifyPosition(*this, numbers[0], *groupSize, 0)) ||
        failed(verifyPosition(*this, numbers[1], *groupSize, 0)) ||
        failed(verifyBox(*this, numbers.slice(2, rank), boxSize, input)) ||
        failed(verifyBox(*this, numbers.take_back(rank), boxSize, result)))
      return failure();
    covered[numbers[0]] += llvm::product_of(boxSize);
  }
  if (getAdding())
    return verifyNumbers(*this, input);
  for (auto [position, elements] : llvm::enumerate(covered))
    if (elements != result.getNumElements())
      return emitOpError() << "expected blocks of " << result.getNumElements()
                           << " elements for position " << position << ", got " << elements;
  return success();
}

/// Verifies C16: one row per position of the group, each of `columns` positions or -1.
static LogicalResult verifyNeighbors(Operation *op, StringRef name, TableAttr table,
                                     int64_t groupSize, int64_t columns) {
  if (static_cast<int64_t>(table.getRows().size()) != groupSize)
    return op->emitOpError() << "expected \"" << name << "\" to have " << groupSize
                             << " rows, one per rank of the group, got " << table.getRows().size();
  for (DenseI64ArrayAttr row : table.getRows()) {
    if (row.size() != columns)
      return op->emitOpError() << "expected rows of " << columns << " positions in \"" << name
                               << "\", got " << row.size();
    for (int64_t position : row.asArrayRef())
      if (failed(verifyPosition(op, position, groupSize, -1)))
        return failure();
  }
  return success();
}

/// Verifies C19: the source of every received tensor sends it, with the same type.
static LogicalResult verifySent(NeighborExchangeOp op) {
  for (auto [position, row] : llvm::enumerate(op.getReceive().getRows()))
    for (auto [index, source] : llvm::enumerate(row.asArrayRef())) {
      if (source < 0)
        continue;
      std::optional<unsigned> input = findSentInput(op, position, index);
      if (!input)
        return op.emitOpError() << "position " << position << " receives from position " << source
                                << ", which does not send to it";
      Type sent = op.getInputs()[*input].getType(), received = op.getResult(index).getType();
      if (sent != received)
        return op.emitOpError() << "expected result #" << index << " of type " << sent
                                << ", which position " << source << " sends to position "
                                << position << ", got " << received;
    }
  return success();
}

LogicalResult NeighborExchangeOp::verify() {
  FailureOr<int64_t> size = getEqualGroupSize(*this, getGroupAttr());
  if (failed(size) ||
      failed(verifyNeighbors(*this, "send", getSend(), *size, getInputs().size())) ||
      failed(verifyNeighbors(*this, "receive", getReceive(), *size, getResults().size())))
    return failure();
  return verifySent(*this);
}

// C18
LogicalResult NeighborExchangeV2Op::verify() {
  FailureOr<int64_t> size = getEqualGroupSize(*this, getGroupAttr());
  constexpr int64_t numNeighbors = 8, numBorders = 4;
  if (failed(size) || failed(verifyNeighbors(*this, "send", getSend(), *size, numNeighbors)) ||
      failed(verifyNeighbors(*this, "receive", getReceive(), *size, numNeighbors)))
    return failure();
  auto input = cast<RankedTensorType>(getInput().getType());
  if (input.getRank() != 4)
    return emitOpError() << "expected an input of 4 dimensions (NCHW), got " << input;
  for (ArrayRef<int64_t> widths : {getSendWidths(), getReceiveWidths()})
    if (widths.size() != numBorders || llvm::any_of(widths, [](int64_t w) { return w < 0; }))
      return emitOpError() << "expected four widths of at least 0 (top, bottom, left, right), got ["
                           << widths << "]";
  SmallVector<int64_t> shape(input.getShape());
  ArrayRef<int64_t> send = getSendWidths(), receive = getReceiveWidths();
  if (std::max(send[0], send[1]) > shape[2] || std::max(send[2], send[3]) > shape[3])
    return emitOpError() << "expected borders within the tile " << input << ", got [" << send
                         << "]";
  shape[2] += receive[0] + receive[1];
  shape[3] += receive[2] + receive[3];
  if (getType() != input.clone(shape))
    return emitOpError() << "expected a result of type " << input.clone(shape) << ", got "
                         << getType();
  if (std::string error = describeMismatch(*this); !error.empty()) // C20
    return emitOpError() << error;
  return success();
}

/// Verifies C17: one peer, or -1, for each rank of the program.
static LogicalResult verifyPeers(Operation *op, ArrayRef<int64_t> peers) {
  int64_t numRanks = getMesh(op).getNumRanks();
  if (static_cast<int64_t>(peers.size()) != numRanks)
    return op->emitOpError() << "expected one peer for each of " << numRanks << " ranks, got "
                             << peers.size();
  for (auto [rank, peer] : llvm::enumerate(peers)) {
    if (peer < -1 || peer >= numRanks)
      return op->emitOpError() << "expected peers from -1 to " << numRanks - 1 << ", got " << peer;
    if (peer == static_cast<int64_t>(rank))
      return op->emitOpError() << "rank " << rank << " is its own peer";
  }
  return success();
}

LogicalResult SendOp::verify() { return verifyPeers(*this, getPeers()); }
LogicalResult RecvOp::verify() { return verifyPeers(*this, getPeers()); }
