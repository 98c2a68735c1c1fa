// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of collectives.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/abi/validate/Checker.h"

#include <algorithm>

namespace pcc::abi {

namespace {

class CollectiveChecker {
public:
  CollectiveChecker(const OperandChecks &operands, const Executable &executable,
                    const Collective &collective)
      : checker(operands.checker), operands(operands), executable(executable),
        collective(collective) {}

  void check();

private:
  void checkSizes();
  void checkAxis(uint32_t axis, int rank, const char *name);
  void checkRoot();
  void checkPeer();
  void checkPairs();
  void checkMoves();
  int64_t groupSize() const {
    return executable.groups(int(collective.group())).lists(0).ranks_size();
  }

  Checker &checker;
  const OperandChecks &operands;
  const Executable &executable;
  const Collective &collective;
};

void CollectiveChecker::check() {
  Checker::Scope scope(checker, "collective");
  if (!checker.expect(CollectiveKind_IsValid(collective.kind()) &&
                          collective.kind() != COLLECTIVE_KIND_UNSPECIFIED,
                      "kind: expected a kind, got {}", static_cast<int>(collective.kind())))
    return;
  bool pointToPoint = collective.kind() == SEND || collective.kind() == RECV;
  if (!pointToPoint &&
      !checker.expect(collective.group() < static_cast<uint32_t>(executable.groups_size()),
                      "group: expected an index below {}, got {}", executable.groups_size(),
                      collective.group()))
    return;
  if (collective.kind() == BARRIER)
    return;
  bool reduces = collective.kind() == ALL_REDUCE || collective.kind() == REDUCE_SCATTER ||
                 collective.kind() == REDUCE;
  checker.expect(ReduceOp_IsValid(collective.reduction()) &&
                     (!reduces || collective.reduction() != REDUCE_OP_UNSPECIFIED),
                 "reduction: expected one, got {}", static_cast<int>(collective.reduction()));
  if (!checker.expect(elementBytes(collective.type()) > 0, "type: expected an element type, got {}",
                      static_cast<int>(collective.type())))
    return;
  std::optional<int64_t> count = elementCount(collective.shape());
  if (!checker.expect(isSize(count), "shape: expected extents whose product is a size"))
    return;
  checkSizes();
}

void CollectiveChecker::checkSizes() {
  uint64_t element = elementBytes(collective.type());
  uint64_t bytes = *elementCount(collective.shape()) * element, target = bytes;
  int rank = collective.shape_size();
  bool receives = collective.kind() != SEND, sends = collective.kind() != RECV;
  switch (collective.kind()) {
  case ALL_GATHER:
    checkAxis(collective.axis(), rank, "axis");
    target = bytes * groupSize();
    break;
  case ALL_TO_ALL:
    checkAxis(collective.concat_axis(), rank, "concat_axis");
    [[fallthrough]];
  case REDUCE_SCATTER:
    checkAxis(collective.axis(), rank, "axis");
    if (!checker.ok())
      return;
    checker.expect(collective.shape(collective.axis()) % groupSize() == 0,
                   "axis: expected an extent that {} divides, got {}", groupSize(),
                   collective.shape(collective.axis()));
    target = collective.kind() == REDUCE_SCATTER ? bytes / groupSize() : bytes;
    break;
  case BROADCAST:
  case REDUCE:
    checkRoot();
    break;
  case COLLECTIVE_PERMUTE:
    checkPairs();
    break;
  case SEND:
  case RECV:
    checkPeer();
    break;
  case BLOCK_EXCHANGE:
    checkMoves();
    if (checker.ok())
      target = *elementCount(collective.target_shape()) * element;
    break;
  default:
    break;
  }
  if (!checker.ok())
    return;
  if (sends)
    operands.room("source", collective.source(), bytes, element, false);
  if (receives)
    operands.room("destination", collective.destination(), target, element, true);
  // Members read each other's sources while destinations are written. So only kinds that work
  // element by element may reuse the source.
  bool mayBeSame = collective.kind() == ALL_REDUCE || collective.kind() == REDUCE ||
                   collective.kind() == BROADCAST;
  if (sends && receives)
    operands.overlap(collective.source(), bytes, collective.destination(), target, mayBeSame);
}

void CollectiveChecker::checkAxis(uint32_t axis, int rank, const char *name) {
  checker.expect(axis < static_cast<uint32_t>(rank), "{}: expected an axis below {}, got {}", name,
                 rank, axis);
}

void CollectiveChecker::checkRoot() {
  Checker::Scope scope(checker, "root");
  if (!checkExpression(checker, collective.root(), executable.mesh()))
    return;
  const RankGroups &group = executable.groups(collective.group());
  for (const RankList &list : group.lists()) {
    auto first = std::find_if(list.ranks().begin(), list.ranks().end(),
                              [&](uint32_t rank) { return operands.ranks.holds(rank); });
    if (first == list.ranks().end())
      continue;
    int64_t root = evaluate(collective.root(), executable.mesh(), *first);
    for (uint32_t rank : list.ranks()) {
      if (!operands.ranks.holds(rank))
        continue;
      int64_t own = evaluate(collective.root(), executable.mesh(), rank);
      checker.expect(own == root, "rank {}: expected {} as in the rest of its group, got {}", rank,
                     root, own);
    }
    checker.expect(root >= 0 && root < list.ranks_size(), "expected a position below {}, got {}",
                   list.ranks_size(), root);
  }
}

void CollectiveChecker::checkPeer() {
  Checker::Scope scope(checker, "peer");
  if (!checkExpression(checker, collective.peer(), executable.mesh()))
    return;
  int64_t ranks = rankCount(executable.mesh());
  for (int64_t rank = operands.ranks.first; rank < operands.ranks.end; ++rank) {
    int64_t peer = evaluate(collective.peer(), executable.mesh(), rank);
    checker.expect(peer < ranks && peer != rank, "rank {}: expected another rank below {}, got {}",
                   rank, ranks, peer);
  }
}

void CollectiveChecker::checkPairs() {
  int64_t ranks = rankCount(executable.mesh());
  std::vector<bool> isTarget(ranks, false);
  const RankGroups &group = executable.groups(collective.group());
  for (int i = 0; i < collective.pairs_size(); ++i) {
    Checker::Scope scope(checker, "pairs", i);
    const RankPair &pair = collective.pairs(i);
    if (!checker.expect(pair.source() < ranks && pair.target() < ranks,
                        "expected ranks below {}, got {} and {}", ranks, pair.source(),
                        pair.target()))
      return;
    checker.expect(&groupOf(group, pair.source()) == &groupOf(group, pair.target()),
                   "ranks {} and {} are in different groups", pair.source(), pair.target());
    checker.expect(!isTarget[pair.target()], "rank {} is the target of two pairs", pair.target());
    isTarget[pair.target()] = true;
  }
}

void CollectiveChecker::checkMoves() {
  std::optional<int64_t> count = elementCount(collective.target_shape());
  if (!checker.expect(isSize(count), "target_shape: expected extents whose product is a size"))
    return;
  const RankGroups &group = executable.groups(collective.group());
  int64_t ranks = rankCount(executable.mesh());
  int rank = collective.shape_size();
  checker.expect(collective.target_shape_size() == rank,
                 "target_shape: expected {} extents, got {}", rank, collective.target_shape_size());
  for (int i = 0; i < collective.moves_size() && checker.ok(); ++i) {
    Checker::Scope scope(checker, "moves", i);
    const BlockMove &move = collective.moves(i);
    if (!checker.expect(move.source() < ranks && move.target() < ranks,
                        "expected ranks below {}, got {} and {}", ranks, move.source(),
                        move.target()) ||
        !checker.expect(&groupOf(group, move.source()) == &groupOf(group, move.target()),
                        "ranks {} and {} are in different groups", move.source(), move.target()) ||
        !checker.expect(move.source_start_size() == rank && move.size_size() == rank &&
                            move.target_start_size() == rank,
                        "expected {} starts and sizes", rank))
      return;
    for (int d = 0; d < rank; ++d) {
      auto inside = [&](int64_t start, int64_t extent) {
        return start >= 0 && move.size(d) >= 0 && move.size(d) <= extent &&
               start <= extent - move.size(d);
      };
      checker.expect(inside(move.source_start(d), collective.shape(d)) &&
                         inside(move.target_start(d), collective.target_shape(d)),
                     "dimension {}: the box leaves the tensor", d);
    }
  }
}

} // namespace

void checkCollective(const OperandChecks &operands, const Executable &executable,
                     const Collective &collective) {
  CollectiveChecker(operands, executable, collective).check();
}

} // namespace pcc::abi
