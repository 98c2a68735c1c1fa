// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A round is a block move (one in three), a forest move, or a kick after 300 rounds without
// improvement. A move is a minimum at scaled prices, so it may exceed the limit. Forest moves then
// retry at higher prices; block moves search for the right scale.
#include "passes/solve/strategy/primal/LocalSearch.h"

#include "passes/solve/strategy/primal/SolutionPool.h"

namespace pcc::solve {

/// Rounds without improvement before a kick.
static constexpr int patience = 300;

/// Forest moves after a kick before it is judged.
static constexpr int afterKick = 100;

/// Maximum table entries of a block. Crossing has the higher limit, because it should decide every
/// node in which the solutions differ; a kept node is not decided.
static constexpr double maxMoveEntries = 1000, maxCrossEntries = 4000;

/// Compares by forbidden entries, then by usage above the limit, then by cost.
static bool isBetter(const State &a, const State &b) {
  bool aForbidden = a.cost() >= double(kHugeCost) / 2,
       bForbidden = b.cost() >= double(kHugeCost) / 2;
  if (aForbidden != bForbidden)
    return bForbidden;
  if (a.overuse() != b.overuse())
    return a.overuse() < b.overuse();
  return a.cost() < b.cost();
}

LocalSearch::LocalSearch(const FlatProblem &flat, std::vector<int32_t> options, uint64_t seed)
    : flat(flat), forest(flat), block(flat), state(flat, std::move(options)), bestState(state),
      random(seed) {}

bool LocalSearch::move(int root, int size) {
  forest.grow(root, size, random);
  forest.anchor(state);
  double factor = state.isFeasible() ? random.logUniform(0.3, 3) : random.logUniform(0.5, 8);
  // A cheaper choice that exceeds the limit is tried again at higher prices.
  for (int attempt = 0; attempt < 3; ++attempt, factor *= 2) {
    forest.choose(state, factor, random, changes);
    if (changes.empty())
      return false;
    double cost = state.cost(), overuse = state.overuse();
    bool wasForbidden = cost >= double(kHugeCost) / 2;
    state.change(changes);
    otherWork += state.work();
    if (wasForbidden ? state.cost() < cost
                     : state.cost() < double(kHugeCost) / 2 &&
                           (state.overuse() < overuse ||
                            (state.overuse() == overuse && state.cost() <= cost)))
      return state.cost() < cost || state.overuse() < overuse;
    bool isCheaper = state.cost() < cost;
    state.undo();
    if (!isCheaper)
      return false;
  }
  return false;
}

void LocalSearch::kick() {
  int count = static_cast<int>(flat.nodes.size());
  int node = static_cast<int>(random.below(count));
  const FlatNode &kicked = flat.nodes[node];
  if (kicked.size < 2)
    return;
  State before = state;
  int32_t option = static_cast<int32_t>(random.below(kicked.size - 1));
  option += option >= state[node];
  // Optimizes the forest around the node with the node at its new option.
  int size = static_cast<int>(random.logUniform(10, std::max(20.0, count / 4.0)));
  forest.fix(node, option);
  forest.grow(node, std::min(size, count), random);
  forest.anchor(state);
  forest.choose(state, random.logUniform(0.5, 4), random, changes);
  forest.fix(-1, 0);
  if (changes.empty())
    return;
  state.change(changes);
  otherWork += state.work();
  std::vector<int> around;
  for (auto [changed, to] : changes)
    around.push_back(changed);
  polish(before, around, afterKick);
}

/// Applies forest moves around the given nodes. Restores `before` if the result is not better.
void LocalSearch::polish(const State &before, const std::vector<int> &around, int moves) {
  int count = static_cast<int>(flat.nodes.size());
  for (int i = 0; i < moves && !isBetter(state, before); ++i) {
    int root = around[random.below(static_cast<uint32_t>(around.size()))];
    move(root, static_cast<int>(random.logUniform(3, std::min(count + 1, 200))));
    if (i == moves / 3 && state.cost() > before.cost() + 0.02 * std::abs(before.cost()))
      break;
  }
  if (isBetter(before, state))
    state = before;
}

/// Searches for the factor of the prices at which the block's choice is cheaper and feasible.
/// Returns whether a better solution was found.
bool LocalSearch::choose(double factor, int attempts, bool isThorough) {
  State before = state, found = state;
  double low = 0, high = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    block.choose(state, forest.optionPrices(), factor, random, changes);
    if (changes.empty())
      break;
    state.change(changes);
    otherWork += state.work();
    bool isEqual = state.cost() == found.cost() && state.overuse() == found.overuse();
    if (isEqual || isBetter(state, found)) {
      found = state;
      if (!isThorough)
        break;
    }
    (state.cost() < before.cost() || state.overuse() > before.overuse() ? low : high) = factor;
    state.undo();
    factor = low == 0 ? factor / 2 : high == 0 ? factor * 2 : std::sqrt(low * high);
  }
  state = found;
  return isBetter(state, before);
}

void LocalSearch::moveBlock(int root, int size) {
  block.grow(root, size, maxMoveEntries, random);
  block.anchor(state);
  choose(state.isFeasible() ? random.logUniform(0.3, 3) : random.logUniform(0.5, 8), 5, false);
}

bool LocalSearch::cross(const std::vector<int32_t> &partner) {
  state = bestState;
  std::vector<int> nodes = differences(state.options(), partner);
  if (nodes.empty())
    return false;
  block.take(nodes, maxCrossEntries, random);
  block.anchor(state);
  if (!choose(1, 7, true))
    return false;
  keepBest();
  return true;
}

void LocalSearch::keepBest() {
  if (!isBetter(state, bestState))
    return;
  bestState = state;
  sinceBetter = 0;
}

void LocalSearch::round() {
  int count = static_cast<int>(flat.nodes.size());
  otherWork += 500; // work of a move besides its tables
  if (random.below(3) == 0)
    moveBlock(static_cast<int>(random.below(count)),
              static_cast<int>(random.logUniform(10, std::max(20.0, count / 2.0))));
  else if (sinceBetter > patience)
    kick();
  else
    move(static_cast<int>(random.below(count)), static_cast<int>(random.logUniform(3, count + 1)));
  ++sinceBetter;
  keepBest();
}

} // namespace pcc::solve
