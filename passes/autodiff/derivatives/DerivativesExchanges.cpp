// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of transfers between pairs of ranks and between virtual stages: a sent value receives
// its gradient. Gradients are added where several ranks or borders read the same element.
#include "passes/autodiff/derivatives/Derivatives.h"

#include "dialects/dist/Neighbors.h"
#include "dialects/pipe/Pipe.h"

using namespace mlir;
using namespace pcc::dist;

namespace pcc::autodiff {

static void differentiatePermute(Backward &b) {
  auto op = b.op<CollectivePermuteOp>();
  SmallVector<SmallVector<int64_t>> inverse;
  for (DenseI64ArrayAttr pair : op.getPairs().getRows())
    inverse.push_back({pair[1], pair[0]});
  b.setGradient(0, b.make<CollectivePermuteOp>(
                       b.gradient(), TableAttr::get(b.getContext(), inverse), op.getGroupAttr()));
}

/// Takes the gradient of the result back along `moves`, given as the forward op makes them.
static Value moveBack(Backward &b, TableAttr moves, GroupAttr group) {
  auto table = TableAttr::get(b.getContext(), transposeMoves(moves));
  return b.make<BlockExchangeOp>(b.operand().getType(), b.gradient(), table, group,
                                 /*adding=*/true);
}

static void differentiateBlockExchange(Backward &b) {
  auto op = b.op<BlockExchangeOp>();
  b.setGradient(0, moveBack(b, op.getBlocks(), op.getGroupAttr()));
}

static void differentiateNeighborExchangeV2(Backward &b) {
  auto op = b.op<NeighborExchangeV2Op>();
  b.setGradient(0, moveBack(b, TableAttr::get(b.getContext(), getMoves(op)), op.getGroupAttr()));
}

/// Returns the gradient of a result; zeros if none arrived, because the other ranks wait for it.
static Value gradientOrZeros(Backward &b, unsigned result) {
  Value gradient = b.gradient(result);
  return gradient ? gradient : b.like(b.result(result), 0);
}

static void differentiateNeighborExchange(Backward &b) {
  auto op = b.op<NeighborExchangeOp>();
  SmallVector<Value> gradients;
  for (unsigned index = 0; index < op.getNumResults(); ++index)
    gradients.push_back(gradientOrZeros(b, index));
  auto back = NeighborExchangeOp::create(b, op.getInputs().getTypes(), gradients, op.getReceive(),
                                         op.getSend(), op.getGroupAttr());
  for (auto [index, gradient] : llvm::enumerate(back.getResults()))
    b.setGradient(index, gradient);
}

static void differentiateSend(Backward &b) {
  auto op = b.op<SendOp>();
  b.setGradient(0, b.make<RecvOp>(op.getInput().getType(), op.getPeers(), op.getTag()));
}

static void differentiateRecv(Backward &b) {
  auto op = b.op<RecvOp>();
  SendOp::create(b, gradientOrZeros(b, 0), op.getPeers(), op.getTag());
}

/// Sends the gradient from the virtual stage that reads a value back to the one that made it.
static void differentiateTransfer(Backward &b) {
  auto op = b.op<pipe::TransferOp>();
  b.setGradient(0, b.make<pipe::TransferOp>(b.gradient(), op.getTarget(), op.getSource()));
}

void addExchangeDerivatives(DerivativeTable &table) {
  table.rule<CollectivePermuteOp>(differentiatePermute);
  table.rule<BlockExchangeOp>(differentiateBlockExchange);
  table.rule<NeighborExchangeOp>(differentiateNeighborExchange);
  table.rule<NeighborExchangeV2Op>(differentiateNeighborExchangeV2);
  table.rule<SendOp>(differentiateSend);
  table.rule<RecvOp>(differentiateRecv);
  table.rule<pipe::TransferOp>(differentiateTransfer);
}

} // namespace pcc::autodiff
