// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that convert between global values, which every rank holds completely, and the ranks' blocks.

#include "compiler/interpret/rank/Blocks.h"
#include "compiler/interpret/rank/Registry.h"
#include "dialects/dist/Dist.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

LogicalResult reshard(dist::ReshardOp op, OpCall &call) {
  call.results.push_back(call.operands[0]);
  return success();
}

LogicalResult toLocal(dist::ToLocalOp op, OpCall &call) {
  call.results.push_back(cut(call.operands[0], op.getSharding().getSharding(), call.rank.getMesh(),
                             call.rank.getPosition()));
  return success();
}

LogicalResult toGlobal(dist::ToGlobalOp op, OpCall &call) {
  const dist::Mesh &mesh = call.rank.getMesh();
  dist::Sharding sharding = op.getSharding().getSharding();
  auto all = llvm::map_to_vector(llvm::seq<int64_t>(0, mesh.getNumRanks()),
                                 [&](int64_t position) { return call.rank.getNeighbor(position); });
  std::string channel = "dist.to_global " + sharding.str() + " " + call.operands[0].typeString();
  auto point =
      call.rank.exchange(op, all, call.rank.getPosition(), channel, Contribution(call.operands));
  if (failed(point))
    return failure();
  call.results.push_back((*point)->once([&] {
    auto blocks = llvm::map_to_vector(
        (*point)->contributions, [](const Contribution &contribution) { return contribution[0]; });
    return join(blocks, sharding, mesh);
  }));
  return success();
}

} // namespace

void registerShardings(Registry &registry) {
  registry.add<dist::ReshardOp>(reshard);
  registry.add<dist::ToLocalOp>(toLocal);
  registry.add<dist::ToGlobalOp>(toGlobal);
}

} // namespace pcc::interpret
