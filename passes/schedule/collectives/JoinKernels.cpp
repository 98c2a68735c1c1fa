// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/collectives/JoinKernels.h"

#include <queue>
#include <set>

using namespace mlir;

namespace pcc::schedule {
namespace {

/// Kernels that get one number.
struct Node {
  SmallVector<int64_t> kernels;
  int64_t place = 0; ///< preferred position
  std::set<int> before, behind;
};

} // namespace

static std::vector<Node> makeNodes(size_t count, ArrayRef<JoinedKernels> joined,
                                   const streams::StreamProblem &tasks) {
  std::vector<Node> nodes;
  std::vector<int> nodeOf(count, -1);
  auto add = [&](ArrayRef<int64_t> kernels, int64_t place) {
    for (int64_t kernel : kernels)
      nodeOf[kernel] = int(nodes.size());
    nodes.push_back({SmallVector<int64_t>(kernels), place, {}, {}});
  };
  for (const JoinedKernels &join : joined)
    add(join.kernels, join.runsFirst ? join.kernels.front() : join.kernels.back());
  for (int64_t kernel = 0; kernel < int64_t(count); ++kernel)
    if (nodeOf[kernel] < 0)
      add(kernel, kernel);
  for (int64_t kernel = 0; kernel < int64_t(count); ++kernel)
    for (int before : tasks.tasks[kernel].after)
      if (int from = nodeOf[before], to = nodeOf[kernel]; from != to) {
        nodes[from].behind.insert(to);
        nodes[to].before.insert(from);
      }
  return nodes;
}

/// Orders the nodes as close to their preferred positions as the dependences allow.
static std::vector<int> orderNodes(std::vector<Node> &nodes) {
  auto later = [&](int a, int b) { return nodes[a].place > nodes[b].place; };
  std::priority_queue<int, std::vector<int>, decltype(later)> ready(later);
  for (int node = 0; node < int(nodes.size()); ++node)
    if (nodes[node].before.empty())
      ready.push(node);
  std::vector<int> order;
  while (!ready.empty()) {
    int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (int next : nodes[node].behind) {
      nodes[next].before.erase(node);
      if (nodes[next].before.empty())
        ready.push(next);
    }
  }
  assert(order.size() == nodes.size() && "joined kernels need each other");
  return order;
}

void joinKernels(func::FuncOp function, ArrayRef<analysis::Kernel> kernels,
                 const streams::StreamProblem &tasks, ArrayRef<JoinedKernels> joined) {
  std::vector<Node> nodes = makeNodes(kernels.size(), joined, tasks);
  Builder b(function.getContext());
  SmallVector<Attribute> forms;
  for (int node : orderNodes(nodes)) {
    for (int64_t kernel : nodes[node].kernels)
      for (Operation *op : kernels[kernel].ops)
        op->setAttr(analysis::kernelAttrName, b.getI64IntegerAttr(forms.size()));
    forms.push_back(kernels[nodes[node].kernels.front()].form);
  }
  function->setAttr(analysis::formsAttrName, b.getArrayAttr(forms));
}

} // namespace pcc::schedule
