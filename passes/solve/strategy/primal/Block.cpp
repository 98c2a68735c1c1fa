// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bucket elimination in a block: fills the tables in the order of BlockOrder, then chooses options
// in reverse order. Rows run along the last node of a scope and are padded, so the inner loops
// vectorize.
#include "passes/solve/strategy/primal/Moves.h"

#include "passes/solve/strategy/bounds/MinPlus.h"

namespace pcc::solve {

Block::Block(const FlatProblem &flat)
    : flat(flat), order(flat), anchored(flat.options, 0), sums(flat.options, 0) {
  int longest = 0;
  for (const FlatNode &node : flat.nodes)
    longest = std::max(longest, node.padded);
  row.resize(longest);
}

void Block::grow(int root, int size, double largest, Random &random) {
  std::vector<int> nodes{root}, border;
  std::vector<char> isIn(flat.nodes.size(), false);
  isIn[root] = true;
  auto addNeighbors = [&](int node) {
    for (const Neighbor &neighbor : flat.nodes[node].neighbors)
      if (!isIn[neighbor.node])
        border.push_back(neighbor.node);
    tableWork += flat.nodes[node].neighbors.size();
  };
  addNeighbors(root);
  while (static_cast<int>(nodes.size()) < size && !border.empty()) {
    size_t pick = random.below(static_cast<uint32_t>(border.size()));
    int node = border[pick];
    border[pick] = border.back();
    border.pop_back();
    if (isIn[node])
      continue;
    isIn[node] = true;
    nodes.push_back(node);
    addNeighbors(node);
  }
  take(nodes, largest, random);
}

void Block::take(const std::vector<int> &nodes, double largest, Random &random) {
  order.find(nodes, largest, random);
  if (tables.size() < order.entries)
    tables.resize(order.entries);
}

void Block::anchor(const State &state) {
  for (int index : order.members) {
    if (!order.isFree(index))
      continue;
    const FlatNode &node = flat.nodes[index];
    double *own = &anchored[node.first];
    std::copy_n(&flat.costs[node.first], node.padded, own);
    for (const Neighbor &neighbor : node.neighbors) {
      if (order.isFree(neighbor.node))
        continue;
      const double *entries =
          &flat.exactTables[neighbor.in] + size_t(state[neighbor.node]) * node.padded;
      for (int i = 0; i < node.padded; ++i)
        own[i] += entries[i];
    }
    tableWork += node.neighbors.size() * node.padded;
  }
}

/// Sets `inputs` to the edges and tables that are added into the table of `step`, at their first
/// entries.
void Block::collect(const BlockStep &step) {
  size_t last = step.scope.size() - 1;
  inputCount = 0;
  auto next = [&](const double *at) -> Input & {
    if (inputs.size() <= inputCount)
      inputs.emplace_back();
    Input &input = inputs[inputCount++];
    input.at = at;
    input.own = input.last = 0;
    input.strides.assign(last, 0);
    return input;
  };
  auto positionOf = [&](int member) {
    return size_t(std::find(step.scope.begin(), step.scope.end(), member) - step.scope.begin());
  };
  const FlatNode &node = order.node(step.member);
  for (size_t e = 0; e < step.edges.size(); ++e) {
    size_t position = positionOf(step.ends[e]);
    bool isRow = position == last;
    Input &input = next(&flat.exactTables[isRow ? step.edges[e]->out : step.edges[e]->in]);
    input.own = isRow ? order.node(step.ends[e]).padded : 1;
    (isRow ? input.last : input.strides[position]) = isRow ? 1 : node.padded;
  }
  for (int made : step.inputs) {
    const BlockStep &from = order.steps[made];
    Input &input = next(&tables[from.first]);
    for (size_t s = 0; s < from.scope.size(); ++s) {
      size_t stride = order.stride(from.scope, s);
      if (from.scope[s] == step.member)
        input.own = stride;
      else if (size_t position = positionOf(from.scope[s]); position == last)
        input.last = stride;
      else
        input.strides[position] = stride;
    }
  }
}

/// Adds the entries of an input for all options of the last node. Rows are padded.
void Block::addAlong(const Input &input, size_t offset, int size) {
  const double *at = input.at + offset;
  if (input.last == 1)
    for (int j = 0; j < padded(size); ++j)
      row[j] += at[j];
  else
    for (int j = 0; j < size; ++j)
      row[j] += at[input.last * j];
}

/// Computes the entries for all options of the scope's last node: the minimum over the options of
/// the eliminated node.
void Block::fillRow(const BlockStep &step, double *out, int width) {
  const FlatNode &node = order.node(step.member);
  int size = order.node(step.scope.back()).size;
  for (int i = 0; i < node.size; ++i) {
    double sum = sums[node.first + i];
    for (size_t k = 0; k < inputCount; ++k)
      if (inputs[k].last == 0)
        sum += inputs[k].at[inputs[k].own * i];
    std::fill_n(row.begin(), width, sum);
    for (size_t k = 0; k < inputCount; ++k)
      if (inputs[k].last != 0)
        addAlong(inputs[k], inputs[k].own * i, size);
    if (i == 0)
      std::copy_n(row.begin(), width, out);
    else
      for (int j = 0; j < width; ++j)
        out[j] = std::min(out[j], row[j]);
  }
}

void Block::fill(const BlockStep &step) {
  if (step.scope.empty())
    return; // the empty table is only read by the backward substitution
  collect(step);
  size_t others = step.scope.size() - 1;
  int width = order.node(step.scope.back()).padded;
  double *out = &tables[step.first];
  digits.assign(others, 0);
  for (bool more = true; more; out += width) {
    fillRow(step, out, width);
    tableWork += size_t(width) * order.node(step.member).size;
    more = false;
    for (size_t s = others; s-- > 0 && !more;) {
      int size = order.node(step.scope[s]).size;
      more = ++digits[s] < size;
      if (!more)
        digits[s] = 0;
      for (size_t k = 0; k < inputCount; ++k)
        inputs[k].at +=
            more ? ptrdiff_t(inputs[k].strides[s]) : -ptrdiff_t(inputs[k].strides[s]) * (size - 1);
    }
  }
}

/// Adds the costs of the chosen neighbors and of the earlier tables to the values of a node's
/// options.
void Block::addReplies(const BlockStep &step, double *values) const {
  const FlatNode &node = order.node(step.member);
  for (size_t e = 0; e < step.edges.size(); ++e) {
    const double *entries =
        &flat.exactTables[step.edges[e]->in] + size_t(chosen[step.ends[e]]) * node.padded;
    for (int i = 0; i < node.size; ++i)
      values[i] += entries[i];
  }
  for (int made : step.inputs) {
    const BlockStep &from = order.steps[made];
    size_t at = from.first, own = 0;
    for (size_t s = 0; s < from.scope.size(); ++s) {
      size_t stride = order.stride(from.scope, s);
      if (from.scope[s] == step.member)
        own = stride;
      else
        at += stride * chosen[from.scope[s]];
    }
    for (int i = 0; i < node.size; ++i)
      values[i] += tables[at + own * i];
  }
}

void Block::choose(const State &state, const std::vector<double> &prices, double factor,
                   Random &random, std::vector<std::pair<int, int32_t>> &changes) {
  for (size_t k = 0; k < order.count; ++k) {
    const FlatNode &node = order.node(order.steps[k].member);
    for (int i = 0; i < node.padded; ++i)
      sums[node.first + i] = anchored[node.first + i] + factor * prices[node.first + i];
  }
  for (size_t k = 0; k < order.count; ++k)
    fill(order.steps[k]);
  changes.clear();
  chosen.resize(order.members.size());
  for (size_t k = order.count; k-- > 0;) {
    const BlockStep &step = order.steps[k];
    const FlatNode &node = order.node(step.member);
    double *values = &sums[node.first];
    addReplies(step, values);
    int32_t found = randomArgMin(values, node.size, random);
    chosen[step.member] = found;
    if (found != state[order.members[step.member]])
      changes.emplace_back(order.members[step.member], found);
  }
}

} // namespace pcc::solve
