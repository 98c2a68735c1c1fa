// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sweep over the times at which terms begin or end. A stack holds the segments found so far.
// Each new time is compared with the top: either may imply the other. The comparison needs the
// usage differences of the nodes that changed in between, so the sweep maintains these.
#include "passes/solve/strategy/reduce/Segments.h"

#include <unordered_map>

namespace pcc::solve {

namespace {

/// Difference in usage between two times, for each option of the nodes.
class Difference {
public:
  /// Adds `sign` times `use` to the usage of `node`.
  void change(int node, const std::vector<int64_t> &use, int sign) {
    std::vector<int64_t> &excess = nodes[node];
    if (excess.empty())
      excess.resize(use.size());
    else
      count(excess, -1);
    for (size_t i = 0; i < use.size(); ++i)
      excess[i] += sign * use[i];
    count(excess, 1);
  }

  void append(const Difference &next) {
    for (const auto &[node, excess] : next.nodes)
      change(node, excess, 1);
  }

  /// Maximum increase and maximum decrease of the total usage from the earlier to the later time.
  Int128 maxIncrease() const { return more; }
  Int128 maxDecrease() const { return less; }

private:
  void count(const std::vector<int64_t> &excess, int sign) {
    auto [low, high] = std::minmax_element(excess.begin(), excess.end());
    more += sign * *high;
    less -= sign * *low;
  }

  std::unordered_map<int, std::vector<int64_t>> nodes;
  Int128 more = 0, less = 0;
};

/// The begin or the end of a term.
struct TermChange {
  int64_t time = 0;
  int node = 0;
  const Term *term = nullptr;
  int sign = 0;
};

/// A segment on the stack.
struct StackedSegment {
  Segment segment;
  Difference sinceLast; ///< from the segment below it on the stack
};

class Sweep {
public:
  explicit Sweep(Core &core) : core(core) {
    for (size_t i = 0; i < core.nodes.size(); ++i)
      for (const Term &term : core.nodes[i].terms) {
        terms.push_back({term.begin, static_cast<int>(i), &term, 1});
        terms.push_back({term.end, static_cast<int>(i), &term, -1});
      }
    auto earlier = [](const auto &a, const auto &b) { return a.time < b.time; };
    std::stable_sort(terms.begin(), terms.end(), earlier);
    std::stable_sort(core.fixedUse.begin(), core.fixedUse.end(), earlier);
  }

  std::vector<Segment> run() {
    size_t t = 0, f = 0;
    const std::vector<UseChange> &fixedUse = core.fixedUse;
    while (t < terms.size() || f < fixedUse.size()) {
      int64_t time = std::numeric_limits<int64_t>::max();
      if (t < terms.size())
        time = terms[t].time;
      if (f < fixedUse.size())
        time = std::min(time, fixedUse[f].time);
      for (; f < fixedUse.size() && fixedUse[f].time == time; ++f)
        fixed += fixedUse[f].change;
      for (; t < terms.size() && terms[t].time == time; ++t)
        apply(terms[t]);
      if (fixed > core.limit) {
        core.contradiction = "at time " + std::to_string(time) + " at least " + toString(fixed) +
                             " is used, expected at most " + std::to_string(core.limit);
        return {};
      }
      if (fixed + highest > core.limit)
        append({time, int64_t(core.limit - fixed)});
    }
    std::vector<Segment> segments;
    for (const StackedSegment &one : kept)
      segments.push_back(one.segment);
    return segments;
  }

private:
  void apply(const TermChange &change) {
    const std::vector<int64_t> &use = change.term->use;
    highest += change.sign * Int128(*std::max_element(use.begin(), use.end()));
    difference.change(change.node, use, change.sign);
  }

  /// Pushes `next` unless the top of the stack implies it. First pops the segments that `next`
  /// implies.
  void append(Segment next) {
    while (!kept.empty()) {
      Int128 room = Int128(next.capacity) - kept.back().segment.capacity;
      if (difference.maxIncrease() <= room)
        return;
      if (difference.maxDecrease() > -room)
        break;
      Difference longer = std::move(kept.back().sinceLast);
      kept.pop_back();
      longer.append(difference);
      difference = std::move(longer);
    }
    kept.push_back({next, std::move(difference)});
    difference = {};
  }

  Core &core;
  std::vector<TermChange> terms;
  std::vector<StackedSegment> kept;
  Difference difference; ///< from the top of the stack to the current time
  Int128 fixed = 0, highest = 0;
};

} // namespace

std::vector<Segment> findSegments(Core &core) { return Sweep(core).run(); }

std::pair<int, int> rangeOf(const std::vector<Segment> &segments, int64_t begin, int64_t end) {
  auto isBefore = [](const Segment &segment, int64_t time) { return segment.time < time; };
  auto first = std::lower_bound(segments.begin(), segments.end(), begin, isBefore);
  auto last = std::lower_bound(first, segments.end(), end, isBefore);
  return {int(first - segments.begin()), int(last - segments.begin())};
}

} // namespace pcc::solve
