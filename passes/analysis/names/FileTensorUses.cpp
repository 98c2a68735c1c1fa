// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches operands by name: collects the names that a value may have in the file, then looks for a
// node input with such a name. Views are followed from the input back to the source; their
// permutations compose. Shapes must fit, and unused tensors are preferred.
#include "passes/analysis/names/FileTensorUses.h"

#include "dialects/graph/ParameterPart.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringSet.h"
#include <limits>
#include <numeric>

using namespace mlir;
using pcc::dist::Sharding;

namespace pcc::analysis {
namespace {

using Order = SmallVector<int64_t>;

/// Returns whether a tensor of `shape`, its dimensions in `order`, may be a tensor of the file of
/// shape `whole`.
bool fits(ArrayRef<int64_t> shape, ArrayRef<int64_t> whole, ArrayRef<int64_t> order) {
  if (shape.size() != whole.size() || order.size() != whole.size())
    return false;
  for (auto [dim, size] : llvm::enumerate(whole))
    if (size % shape[order[dim]])
      return false;
  return true;
}

/// Finds the uses of one function.
class FileTensorUseFinder {
public:
  FileTensorUseFinder(func::FuncOp function, const FileNodes &file)
      : function(function), file(file), nodesOf(findNodesByOp(function, file.nodes.size())) {
    for (auto [index, node] : llvm::enumerate(file.nodes))
      for (const std::string &input : node.inputs)
        readers[input].push_back(static_cast<int64_t>(index));
    SymbolTable symbols(function->getParentOfType<ModuleOp>());
    for (BlockArgument argument : function.getArguments())
      if (graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber()))
        names[argument] = findName(role, symbols);
  }

  std::vector<FileTensorUse> run() {
    for (Operation &op : function.getBody().front())
      if (ArrayRef<int64_t> nodes = getNodes(&op); !nodes.empty())
        addOp(&op, nodes);
    return std::move(uses);
  }

private:
  /// Returns the name of an argument in the file. A copy of a parameter stands for its owner, and a
  /// part for its whole.
  static StringRef findName(graph::RoleAttr role, const SymbolTable &symbols) {
    StringRef name = graph::getName(role);
    if (Operation *parameter = symbols.lookup(name))
      if (auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName))
        name = owner.getValue();
    StringRef whole = graph::getWholeName(name);
    return whole.empty() ? name : whole;
  }

  /// Returns the nodes of a forward op; none for others.
  ArrayRef<int64_t> getNodes(Operation *op) const {
    auto found = nodesOf.find(op);
    return found == nodesOf.end() ? ArrayRef<int64_t>() : ArrayRef<int64_t>(found->second);
  }

  /// Returns the names that `value` may have in the file.
  llvm::StringSet<> findSources(Value value, ArrayRef<int64_t> nodes) {
    llvm::StringSet<> sources;
    while (auto transfer = value.getDefiningOp<pipe::TransferOp>())
      value = transfer->getOperand(0);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      sources.insert(names.lookup(argument));
      return sources;
    }
    for (int64_t node : getNodes(value.getDefiningOp()))
      if (!llvm::is_contained(nodes, node))
        sources.insert_range(file.nodes[node].outputs);
    return sources;
  }

  /// Adds the use of the first input of the nodes that is one of `sources` and fits. Prefers a
  /// tensor that no earlier operand has.
  void addOperand(Operation *op, unsigned index, ArrayRef<int64_t> nodes,
                  llvm::StringSet<> &taken) {
    auto type = dyn_cast<RankedTensorType>(op->getOperand(index).getType());
    llvm::StringSet<> sources = findSources(op->getOperand(index), nodes);
    if (!type || sources.empty())
      return;
    std::optional<FileTensorUse> found;
    for (int64_t node : nodes)
      for (const std::string &tensor : file.nodes[node].inputs) {
        std::optional<Order> order = follow(tensor, sources, type.getShape());
        bool isBetter =
            order && (!found || (taken.contains(found->tensor) && !taken.contains(tensor)));
        if (isBetter)
          found = FileTensorUse{node, tensor, op, /*isResult=*/false, index, *order};
      }
    if (!found)
      return;
    taken.insert(found->tensor);
    uses.push_back(std::move(*found));
  }

  /// Follows the views from `tensor` back to one of `sources`. Returns the dimension of the source
  /// by dimension of `tensor`.
  std::optional<Order> follow(StringRef tensor, const llvm::StringSet<> &sources,
                              ArrayRef<int64_t> shape) {
    auto whole = file.shapes.find(tensor);
    if (whole == file.shapes.end())
      return std::nullopt;
    Order order(whole->second.size());
    std::iota(order.begin(), order.end(), 0);
    for (StringRef name = tensor;;) {
      if (sources.contains(name))
        return fits(shape, whole->second, order) ? std::optional(order) : std::nullopt;
      auto view = file.views.find(name);
      if (view == file.views.end())
        return std::nullopt;
      for (int64_t &dim : order)
        dim = view->second.order[dim];
      name = view->second.of;
    }
  }

  /// Returns whether a node outside of `nodes` reads `tensor`, or the model returns it.
  bool isRead(StringRef tensor, ArrayRef<int64_t> nodes) {
    ArrayRef<int64_t> list = readers[tensor];
    return list.empty() ||
           llvm::any_of(list, [&](int64_t node) { return !llvm::is_contained(nodes, node); });
  }

  /// Returns whether an op of other nodes takes `value`. Ops of the backward pass do not count.
  bool isTaken(Value value, ArrayRef<int64_t> nodes) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !getDerivedFrom(user) && getNodes(user) != nodes;
    });
  }

  void addResult(Operation *op, unsigned index, ArrayRef<int64_t> nodes, llvm::StringSet<> &taken) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(index).getType());
    if (!type || !isTaken(op->getResult(index), nodes))
      return;
    for (int64_t node : nodes)
      for (const std::string &tensor : file.nodes[node].outputs) {
        auto whole = file.shapes.find(tensor);
        Order order(type.getRank());
        std::iota(order.begin(), order.end(), 0);
        if (whole == file.shapes.end() || !fits(type.getShape(), whole->second, order) ||
            !isRead(tensor, nodes) || !taken.insert(tensor).second)
          continue;
        uses.push_back({node, tensor, op, /*isResult=*/true, index, std::move(order)});
        return;
      }
  }

  void addOp(Operation *op, ArrayRef<int64_t> nodes) {
    llvm::StringSet<> takenInputs, takenOutputs;
    for (unsigned index = 0; index < op->getNumOperands(); ++index)
      addOperand(op, index, nodes, takenInputs);
    for (unsigned index = 0; index < op->getNumResults(); ++index)
      addResult(op, index, nodes, takenOutputs);
  }

  func::FuncOp function;
  const FileNodes &file;
  llvm::StringMap<SmallVector<int64_t>> readers;
  llvm::DenseMap<Value, StringRef> names;
  NodesByOp nodesOf;
  std::vector<FileTensorUse> uses;
};

} // namespace

Sharding FileTensorUse::toTensor(const Sharding &sharding) const {
  return Sharding(llvm::map_to_vector(order, [&](int64_t dim) { return sharding.getDim(dim); }));
}

Sharding FileTensorUse::toValue(const Sharding &sharding) const {
  SmallVector<dist::AxisList> dims(order.size());
  for (auto [dim, own] : llvm::enumerate(order))
    dims[own] = sharding.getDim(static_cast<int64_t>(dim));
  return Sharding(dims);
}

NodesByOp findNodesByOp(func::FuncOp function, size_t numNodes) {
  NodesByOp nodesOf;
  std::vector<size_t> fewest(numNodes, std::numeric_limits<size_t>::max());
  for (Operation &op : function.getBody().front()) {
    if (getDerivedFrom(&op))
      continue;
    SmallVector<int64_t, 4> nodes = findNodes(op.getLoc());
    llvm::erase_if(nodes, [&](int64_t node) { return node >= static_cast<int64_t>(numNodes); });
    for (int64_t node : nodes)
      fewest[node] = std::min(fewest[node], nodes.size());
    if (!nodes.empty())
      nodesOf[&op] = std::move(nodes);
  }
  for (auto &[op, nodes] : nodesOf)
    llvm::erase_if(nodes, [&, count = nodes.size()](int64_t node) { return fewest[node] < count; });
  return nodesOf;
}

func::FuncOp findPlannedFunction(ModuleOp module) {
  for (StringRef name : {"forward_backward", "forward"})
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return function;
  return {};
}

std::vector<FileTensorUse> findFileTensorUses(func::FuncOp function, const FileNodes &file) {
  return function.isDeclaration() ? std::vector<FileTensorUse>()
                                  : FileTensorUseFinder(function, file).run();
}

} // namespace pcc::analysis
