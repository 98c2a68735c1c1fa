// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the header's table, one formula per kind and algorithm. The lowest cost of a flat
// collective competes with the sum of the lowest costs at each level. The search is exhaustive,
// since there are at most four algorithms per kind.

#include "runtime/machine/CollectiveCost.h"

#include "runtime/machine/Roofline.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <optional>
#include <span>

namespace pcc::machine {
namespace {

using abi::CollectiveAlgorithm;
using abi::CollectiveKind;

/// A link from the view of one member.
struct Wire {
  int64_t n = 1;     ///< members of the group
  int64_t peers = 0; ///< members that it reaches over this link
  double latency = 0, gap = 0, secondsPerByte = 0;

  double steps(double count) const { return count * latency; }
  double rounds() const { return std::bit_width(static_cast<uint64_t>(n - 1)); } ///< ⌈lg n⌉
  double atOnce(int64_t messages) const { return latency + (messages - 1.0) * gap; }
  double move(double bytes) const { return bytes * secondsPerByte; }
  /// Bytes of the peers' blocks on this link, without the member's own block.
  double others(double bytes) const { return bytes * static_cast<double>(peers) / n; }
};

/// A line of the header's table.
struct Formula {
  CollectiveKind kind;
  CollectiveAlgorithm algorithm;
  double (*seconds)(const Wire &wire, const Traffic &traffic);

  /// Whether all links work at once, each for its own peers.
  bool isDirect() const { return algorithm == abi::ONE_SHOT || algorithm == abi::TWO_SHOT; }
};

double ringPieces(const Wire &wire, const Traffic &traffic) {
  return wire.steps(wire.n - 1) + wire.move(wire.others(traffic.bytes));
}
double directPieces(const Wire &wire, const Traffic &traffic) {
  return wire.atOnce(wire.peers) + wire.move(wire.others(traffic.bytes));
}
double directFull(const Wire &wire, const Traffic &traffic) {
  return wire.atOnce(wire.peers) + wire.move(wire.peers * traffic.bytes);
}
double treeFull(const Wire &wire, const Traffic &traffic) {
  return wire.rounds() * (wire.latency + wire.move(traffic.bytes));
}
double scatterAndGather(const Wire &wire, const Traffic &traffic) {
  return wire.steps(wire.rounds() + wire.n - 1) + 2 * wire.move(wire.others(traffic.bytes));
}
double messages(const Wire &wire, const Traffic &traffic) {
  return wire.atOnce(std::max<int64_t>(1, traffic.messages)) + wire.move(traffic.bytes);
}
double twoRings(const Wire &wire, const Traffic &traffic) { return 2 * ringPieces(wire, traffic); }
double twoTrees(const Wire &wire, const Traffic &traffic) { return 2 * treeFull(wire, traffic); }
double twoDirect(const Wire &wire, const Traffic &traffic) {
  return 2 * directPieces(wire, traffic);
}
double barrierRounds(const Wire &wire, const Traffic &) { return wire.steps(wire.rounds()); }

constexpr Formula formulas[] = {
    {abi::ALL_REDUCE, abi::RING, twoRings},
    {abi::ALL_REDUCE, abi::TREE, twoTrees},
    {abi::ALL_REDUCE, abi::ONE_SHOT, directFull},
    {abi::ALL_REDUCE, abi::TWO_SHOT, twoDirect},
    {abi::ALL_GATHER, abi::RING, ringPieces},
    {abi::ALL_GATHER, abi::ONE_SHOT, directPieces},
    {abi::REDUCE_SCATTER, abi::RING, ringPieces},
    {abi::REDUCE_SCATTER, abi::ONE_SHOT, directPieces},
    {abi::ALL_TO_ALL, abi::ONE_SHOT, directPieces},
    {abi::BROADCAST, abi::RING, scatterAndGather},
    {abi::BROADCAST, abi::TREE, treeFull},
    {abi::BROADCAST, abi::ONE_SHOT, directFull},
    {abi::REDUCE, abi::RING, scatterAndGather},
    {abi::REDUCE, abi::TREE, treeFull},
    {abi::REDUCE, abi::ONE_SHOT, directFull},
    {abi::COLLECTIVE_PERMUTE, abi::ONE_SHOT, messages},
    {abi::SEND, abi::ONE_SHOT, messages},
    {abi::RECV, abi::ONE_SHOT, messages},
    {abi::BLOCK_EXCHANGE, abi::ONE_SHOT, messages},
    {abi::BARRIER, abi::TREE, barrierRounds},
};

/// Whether `level` allows the algorithm of `formula`. A kind with a single algorithm is always
/// allowed.
bool allows(const abi::TopologyLevel &level, const Formula &formula) {
  auto isOfKind = [&](const Formula &other) { return other.kind == formula.kind; };
  const auto &allowed = level.figures().algorithm();
  if (allowed.empty() || std::ranges::count_if(formulas, isOfKind) == 1)
    return true;
  CollectiveAlgorithm needed =
      formula.algorithm == abi::TWO_SHOT ? abi::ONE_SHOT : formula.algorithm;
  return std::ranges::find(allowed, needed) != allowed.end();
}

/// Computes the cost of one collective of one group.
class CollectiveCostModel {
public:
  CollectiveCostModel(const abi::Cluster &cluster, const GroupLayout &group, const Traffic &traffic)
      : cluster(cluster), group(group), traffic(traffic) {
    for (int level = 0; level < static_cast<int>(group.members.size()); ++level)
      if (group.members[level] > 1)
        spanned.push_back(level);
  }

  CollectiveCost cost() const {
    if (group.size == 1)
      return {};
    CollectiveCost best = estimateFlat();
    if (std::optional<CollectiveCost> byLevel = estimateByLevel();
        byLevel && byLevel->seconds < best.seconds)
      best = *byLevel;
    best.seconds += cluster.device().launch_seconds().value();
    return best;
  }

private:
  /// Returns the link of `level` for `peers` of `n` members. In each unit below, `active` members
  /// use the link at the same time.
  Wire wireOf(int level, int64_t n, int64_t peers, int64_t active) const {
    const abi::LinkFigures &link = cluster.level(level).figures();
    // The devices behind a link belong to different groups; `flows` is the number that share it.
    int64_t perLink = std::max(1, link.devices_per_link());
    int64_t below = group.membersBelow(level);
    double flows = std::max<int64_t>(1, (perLink * active + below - 1) / below);
    return {n, peers, link.latency_seconds().value(), link.gap_seconds().value(),
            flows / linkRate(link)};
  }

  /// Returns a link with the worst figures of the group's links: the bound for a ring or tree
  /// through all levels.
  Wire slowestWire() const {
    Wire worst{group.size, group.size - 1};
    for (int level : spanned) {
      Wire wire = wireOf(level, group.size, group.size - 1, /*active=*/1);
      worst.latency = std::max(worst.latency, wire.latency);
      worst.gap = std::max(worst.gap, wire.gap);
      worst.secondsPerByte = std::max(worst.secondsPerByte, wire.secondsPerByte);
    }
    return worst;
  }

  double secondsFlat(const Formula &formula) const {
    if (!formula.isDirect())
      return formula.seconds(slowestWire(), traffic);
    double slowest = 0;
    for (int level : spanned) {
      int64_t below = group.membersBelow(level);
      Wire wire = wireOf(level, group.size, below * (group.members[level] - 1), below);
      slowest = std::max(slowest, formula.seconds(wire, traffic));
    }
    return slowest;
  }

  /// Returns the lowest cost among the algorithms of a kind that all of `levels` allow, or among
  /// all algorithms of the kind if they allow none of them.
  template <typename SecondsOf>
  CollectiveCost chooseAlgorithm(abi::CollectiveKind kind, std::span<const int> levels,
                                 SecondsOf secondsOf) const {
    CollectiveCost best;
    for (bool onlyAllowed : {true, false}) {
      for (const Formula &formula : formulas) {
        auto isAllowed = [&](int level) { return allows(cluster.level(level), formula); };
        if (formula.kind != kind || (onlyAllowed && !std::ranges::all_of(levels, isAllowed)))
          continue;
        double seconds = secondsOf(formula);
        if (best.algorithms.empty() || seconds < best.seconds)
          best = {seconds, {formula.algorithm}};
      }
      if (!best.algorithms.empty())
        break;
    }
    return best;
  }

  CollectiveCost estimateFlat() const {
    return chooseAlgorithm(traffic.kind, spanned,
                           [&](const Formula &formula) { return secondsFlat(formula); });
  }

  /// Returns the lowest cost for the members at one level.
  CollectiveCost estimateAt(int level, const Traffic &part, int64_t active) const {
    int64_t n = group.members[level];
    Wire wire = wireOf(level, n, n - 1, active);
    return chooseAlgorithm(part.kind, std::span(&level, 1),
                           [&](const Formula &formula) { return formula.seconds(wire, part); });
  }

  /// Returns nothing if the group lies in one level or the kind cannot be split by levels.
  std::optional<CollectiveCost> estimateByLevel() const {
    bool splitsOperand = traffic.kind == abi::ALL_REDUCE || traffic.kind == abi::ALL_GATHER ||
                         traffic.kind == abi::REDUCE_SCATTER;
    bool movesFullOperand = traffic.kind == abi::BROADCAST || traffic.kind == abi::REDUCE;
    if (spanned.size() < 2 ||
        (!splitsOperand && !movesFullOperand && traffic.kind != abi::ALL_TO_ALL))
      return std::nullopt;
    CollectiveCost total{0, {}, /*isByLevel=*/true};
    for (int level : spanned) {
      int64_t below = group.membersBelow(level);
      Traffic part = traffic;
      part.bytes /= splitsOperand ? below : 1;
      // All levels of an all-reduce but the outermost one reduce-scatter, and all-gather on the way
      // back.
      bool gathersBack = traffic.kind == abi::ALL_REDUCE && level != spanned.back();
      if (gathersBack)
        part.kind = abi::REDUCE_SCATTER;
      CollectiveCost cost = estimateAt(level, part, movesFullOperand ? 1 : below);
      total.seconds += (gathersBack ? 2 : 1) * cost.seconds;
      total.algorithms.push_back(cost.algorithms.front());
    }
    return total;
  }

  const abi::Cluster &cluster;
  const GroupLayout &group;
  const Traffic &traffic;
  std::vector<int> spanned; ///< levels at which the group has more than one member
};

} // namespace

CollectiveCost estimateCollectiveCost(const abi::Cluster &cluster, const GroupLayout &group,
                                      const Traffic &traffic) {
  return CollectiveCostModel(cluster, group, traffic).cost();
}

std::string CollectiveCost::algorithm() const {
  std::string text;
  for (CollectiveAlgorithm each : algorithms)
    text += (text.empty() ? "" : ", ") + abi::CollectiveAlgorithm_Name(each);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return isByLevel ? "by level: " + text : text;
}

} // namespace pcc::machine
