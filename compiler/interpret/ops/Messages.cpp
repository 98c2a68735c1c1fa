// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages from stage to stage.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/pipe/Pipe.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// A message between the ranks at this rank's position in two stages.
struct Route {
  int64_t source, target, tag; ///< stages

  /// Returns the channel. It contains the action, so that only the same action receives the
  /// message.
  std::string channel(const Rank &rank, const Tensor &value) const {
    std::string action = rank.getAction().empty() ? "" : ", " + rank.getAction().str();
    return "message from stage " + std::to_string(source) + " to stage " + std::to_string(target) +
           ", tag " + std::to_string(tag) + action + ", " + value.typeString();
  }

  llvm::SmallVector<int64_t, 2> group(const Rank &rank) const {
    return {rank.getWorld().getRank(source, rank.getPosition()),
            rank.getWorld().getRank(target, rank.getPosition())};
  }
};

LogicalResult checkStage(OpCall &call, int64_t stage) {
  int64_t stages = call.rank.getWorld().stages;
  if (stage < stages)
    return success();
  return call.fail("expected a stage from 0 to " + llvm::Twine(stages - 1) + ", got " +
                   llvm::Twine(stage));
}

/// Sends without waiting, like `dist.send`.
LogicalResult send(pipe::SendOp op, OpCall &call) {
  if (failed(checkStage(call, op.getStage())))
    return failure();
  Route route{call.rank.getStage(), int64_t(op.getStage()), int64_t(op.getTag())};
  call.rank.send(route.group(call.rank), /*position=*/0, route.channel(call.rank, call.operands[0]),
                 Contribution(call.operands));
  return success();
}

LogicalResult recv(pipe::RecvOp op, OpCall &call) {
  if (failed(checkStage(call, op.getStage())))
    return failure();
  Route route{int64_t(op.getStage()), call.rank.getStage(), int64_t(op.getTag())};
  Tensor like = zerosOf(cast<RankedTensorType>(op.getType()));
  auto point = call.rank.exchange(op, route.group(call.rank), /*position=*/1,
                                  route.channel(call.rank, like), Contribution());
  if (failed(point))
    return failure();
  call.results.push_back((*point)->contributions[0][0]);
  return success();
}

/// Both virtual stages run on the same ranks until the model is cut.
Tensor transfer(pipe::TransferOp, llvm::ArrayRef<Tensor> in) { return in[0]; }

} // namespace

void registerMessages(Registry &registry) {
  registry.add<pipe::TransferOp>(transfer);
  registry.add<pipe::SendOp>(send);
  registry.add<pipe::RecvOp>(recv);
}

} // namespace pcc::interpret
