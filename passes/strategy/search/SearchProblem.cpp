// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches options by a signature of the op and tables by the options of both ends, so equal layers
// are costed once. Seconds become picoseconds. An output adds the cost of its reduction to the
// options of its producer.
#include "passes/strategy/search/SearchProblem.h"

#include "dialects/graph/Roles.h"
#include "passes/analysis/kernels/KernelLoops.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/Shardings.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;
using pcc::graph::RoleKind;

namespace pcc::strategy {
namespace {

int64_t toPicoseconds(double seconds) {
  return std::llround(std::min(seconds * picosecondsPerSecond, 1e17));
}

int64_t countBytes(Type type, const Sharding &sharding, const dist::Mesh &mesh) {
  return isa<RankedTensorType>(type)
             ? analysis::getNumBytes(analysis::getLocalType(type, sharding, mesh))
             : 0;
}

/// Appends the share as numbers.
void append(const analysis::KernelShare &share, std::vector<const void *> &signature) {
  uintptr_t bits = share.launches;
  for (const llvm::SmallBitVector &set : {share.reads, share.writes})
    for (unsigned index = 0; index < set.size(); ++index)
      bits = bits * 2 + set[index];
  signature.push_back(reinterpret_cast<const void *>(bits));
}

/// Returns a key; ops with equal keys have the same options at the same costs.
std::vector<const void *> getSignature(Operation *op, ArrayRef<analysis::ExpectedPart> parts) {
  std::vector<const void *> signature = {op->getName().getAsOpaquePointer(),
                                         op->getPropertiesAsAttribute().getAsOpaquePointer()};
  for (Type type : op->getOperandTypes())
    signature.push_back(type.getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    signature.push_back(type.getAsOpaquePointer());
  for (const analysis::ExpectedPart &part : parts) {
    signature.push_back(reinterpret_cast<const void *>(uintptr_t(part.index)));
    append(part.share, signature);
  }
  return signature;
}

/// Option of a boundary or a shared value: the value has the same sharding as operand and as
/// result.
OpSharding passOn(const Sharding &sharding) { return {{sharding}, {sharding}}; }

const void *getKey(RoleKind kind) {
  return reinterpret_cast<const void *>(static_cast<uintptr_t>(kind));
}

/// Whether values of this kind may be partial: gradients, and shared values, which count as outputs
/// here.
bool mayBePartial(RoleKind kind) { return kind == RoleKind::Gradient || kind == RoleKind::Output; }

/// Whether an input can be fed in `sharding`: unsplit, or cut along the batch only.
bool mayBeFed(const Sharding &sharding, const SeedShardings &given) {
  return !sharding.isSplit() || (!given.fullBatch && llvm::all_of(sharding.getDims().drop_front(),
                                                                  [](const dist::AxisList &axes) {
                                                                    return axes.empty();
                                                                  }));
}

/// Whether both options cut all tensors alike; partial axes are ignored.
bool isCutAlike(const OpSharding &lhs, const OpSharding &rhs) {
  auto isAlike = [](const Sharding &left, const Sharding &right) {
    return left.withoutPartial() == right.withoutPartial();
  };
  return llvm::equal(lhs.operands, rhs.operands, isAlike) &&
         llvm::equal(lhs.results, rhs.results, isAlike);
}

/// Returns the given sharding of a boundary or a shared value, or null.
const Sharding *findGiven(const SearchNode &node, const SeedShardings &given) {
  if (node.kind == SearchNode::Kind::Shared)
    return findSeen(given, node.value);
  if (node.kind != SearchNode::Kind::Boundary || node.role.getKind() == RoleKind::Gradient)
    return nullptr;
  const llvm::StringMap<Sharding> &map =
      node.role.getKind() == RoleKind::Parameter ? given.parameters : given.inputs;
  auto found = map.find(graph::getName(node.role));
  return found == map.end() ? nullptr : &found->second;
}

/// Returns `parameter w` or `gradient w`.
std::string describe(graph::RoleAttr role) {
  return (graph::stringifyRoleKind(role.getKind()) + " " + graph::getName(role)).str();
}

/// Returns a name for messages: the op's own name, or the value of a boundary or a shared node.
std::string describe(const SearchNode &node) {
  if (node.kind == SearchNode::Kind::Boundary)
    return describe(node.role);
  if (node.kind == SearchNode::Kind::Op)
    return analysis::getName(node.op).str();
  auto argument = dyn_cast<BlockArgument>(node.value);
  if (!argument)
    return analysis::getName(node.value.getDefiningOp()).str() + " as its users see it";
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return describe(graph::getArgRole(function, argument.getArgNumber())) + " as its users see it";
}

} // namespace

SearchProblem::SearchProblem(ModuleOp module, const dist::Mesh &mesh, const abi::Cluster &cluster,
                             const SeedShardings &given, int64_t memoryLimit)
    : module(module),
      costModel(std::make_shared<RooflineCostModel>(module.getContext(), mesh, cluster)),
      graph(module, given) {
  problem.usageLimit = memoryLimit;
  for (const SearchNode &node : graph.nodes) {
    optionsOfNode.push_back(node.kind == SearchNode::Kind::Op ? getOpOptions(node.op, given)
                                                              : getTensorOptions(node, given));
    addNode(node);
  }
  addUses();
}

SearchProblem::SearchProblem(ModuleOp module, const SeedShardings &given, int64_t memoryLimit,
                             std::shared_ptr<RooflineCostModel> shared, const NearPlan &near)
    : module(module), costModel(std::move(shared)), graph(module, given) {
  std::vector<int64_t> planned;
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    optionsOfNode.push_back(getNearOptions(index, given, near));
    addNode(node);
    planned.push_back(problem.nodes.back().usages.front());
  }
  solve::Int128 needed = solve::findUsagePeak(problem, planned).use;
  problem.usageLimit = static_cast<int64_t>(std::max<solve::Int128>(memoryLimit, needed));
  addUses();
}

void SearchProblem::addUses() {
  for (const SearchEdge &edge : graph.edges)
    addEdge(edge);
  for (const SearchOutput &output : graph.outputs)
    addOutput(output);
}

SearchProblem SearchProblem::remake(const SeedShardings &given) const {
  return SearchProblem(module, costModel->getMesh(), costModel->getCluster(), given,
                       problem.usageLimit);
}

/// Lists the options that split the factors as given. The remaining axes may carry partial sums,
/// unless it is given which do.
std::vector<OpSharding> SearchProblem::listGivenOptions(Operation *op, const GivenOp &given) const {
  if (given.exact)
    return {*given.exact};
  FactorAxes factors(op, costModel->getMesh());
  factors.setAxes(given.factors);
  std::vector<Sharding> operands;
  for (const TensorFactors &dims : factors.getRule().getOperands())
    operands.push_back(factors.project(dims));
  std::vector<OpSharding> opShardings = {
      makeOpSharding(op, factors, operands, SmallVector<bool>(operands.size(), false))};
  for (OpSharding &opSharding : listOptions(op, costModel->getMesh()))
    if (isCutAlike(opSharding, opShardings.front()) && opSharding != opShardings.front())
      opShardings.push_back(std::move(opSharding));
  return opShardings;
}

SearchProblem::NodeOptionsPtr SearchProblem::makeOpOptions(Operation *op,
                                                           std::vector<OpSharding> opShardings) {
  auto result = std::make_shared<NodeOptions>();
  result->opShardings = std::move(opShardings);
  for (const OpSharding &opSharding : result->opShardings) {
    result->costs.push_back(toPicoseconds(costModel->costOfOp(op, opSharding)));
    int64_t &bytes = result->bytes.emplace_back();
    for (auto [value, sharding] : llvm::zip_equal(op->getResults(), opSharding.results))
      bytes += countBytes(value.getType(), sharding, costModel->getMesh());
  }
  return result;
}

SearchProblem::NodeOptionsPtr SearchProblem::makeTensorOptions(RankedTensorType type,
                                                               ArrayRef<Sharding> shardings) const {
  auto result = std::make_shared<NodeOptions>();
  for (const Sharding &sharding : shardings) {
    result->opShardings.push_back(passOn(sharding));
    result->costs.push_back(0);
    result->bytes.push_back(countBytes(type, sharding, costModel->getMesh()));
  }
  return result;
}

SearchProblem::NodeOptionsPtr SearchProblem::getOpOptions(Operation *op,
                                                          const SeedShardings &given) {
  if (auto found = given.ops.find(op); found != given.ops.end())
    return makeOpOptions(op, listGivenOptions(op, found->second));
  NodeOptionsPtr &equal = known[getSignature(op, costModel->getParts(op))];
  if (!equal)
    equal = makeOpOptions(op, listOptions(op, costModel->getMesh()));
  return equal;
}

/// Lists the shardings of a boundary or a shared value. Parameters are never partial, and inputs
/// are unsplit or cut along the batch. Gradients and shared values may be partial sums.
SearchProblem::NodeOptionsPtr SearchProblem::getTensorOptions(const SearchNode &node,
                                                              const SeedShardings &given) {
  bool isShared = node.kind == SearchNode::Kind::Shared;
  RoleKind kind = isShared ? RoleKind::Output : node.role.getKind();
  if (const Sharding *sharding = findGiven(node, given))
    return makeTensorOptions(node.type, analysis::dropTrivialAxes(*sharding, costModel->getMesh()));
  NodeOptionsPtr &equal = known[{node.type.getAsOpaquePointer(), getKey(kind)}];
  if (equal)
    return equal;
  std::vector<Sharding> shardings =
      listShardings(node.type.getShape(), costModel->getMesh(), mayBePartial(kind));
  if (kind == RoleKind::Input)
    llvm::erase_if(shardings, [&](const Sharding &sharding) { return !mayBeFed(sharding, given); });
  return equal = makeTensorOptions(node.type, shardings);
}

/// Lists the options near the plan; a given node has only its option in the plan.
SearchProblem::NodeOptionsPtr
SearchProblem::getNearOptions(unsigned index, const SeedShardings &given, const NearPlan &near) {
  const SearchNode &node = graph.nodes[index];
  std::shared_ptr<const OpSharding> planned = near.findOpSharding(index, node);
  if (node.kind == SearchNode::Kind::Op) {
    bool isGiven = given.ops.contains(node.op);
    std::vector<const void *> key = getSignature(node.op, costModel->getParts(node.op));
    key.insert(key.end(), {planned.get(), isGiven ? planned.get() : nullptr});
    NodeOptionsPtr &equal = known[std::move(key)];
    if (!equal)
      equal = makeOpOptions(
          node.op, isGiven ? std::vector<OpSharding>{*planned}
                           : listOptionsNear(node.op, costModel->getMesh(), *planned, near.axis));
    return equal;
  }
  if (findGiven(node, given))
    return makeTensorOptions(node.type, planned->results);
  RoleKind kind = node.kind == SearchNode::Kind::Shared ? RoleKind::Output : node.role.getKind();
  NodeOptionsPtr &equal = known[{node.type.getAsOpaquePointer(), getKey(kind), planned.get()}];
  if (equal)
    return equal;
  const Sharding &first = planned->results.front();
  std::vector<Sharding> shardings = listShardingsNear(node.type.getShape(), costModel->getMesh(),
                                                      mayBePartial(kind), first, near.axis);
  if (kind == RoleKind::Input)
    llvm::erase_if(shardings, [&](const Sharding &sharding) {
      return sharding != first && !mayBeFed(sharding, given);
    });
  return equal = makeTensorOptions(node.type, shardings);
}

void SearchProblem::addNode(const SearchNode &node) {
  solve::StrategyNode &added = problem.nodes.emplace_back();
  const NodeOptions &nodeOptions = *optionsOfNode.back();
  added.begin = node.begin;
  added.end = node.end;
  added.usages = nodeOptions.bytes;
  for (int64_t cost : nodeOptions.costs)
    added.costs.push_back(cost * node.runs);
  added.name = describe(node);
}

/// A shared value passes to all its readers as it passes to any of them.
Passage SearchProblem::findPassage(const SearchEdge &edge) {
  const SearchNode &reader = graph.nodes[edge.to];
  if (reader.kind == SearchNode::Kind::Boundary)
    return {};
  Value value = reader.value ? reader.value : reader.op->getOperand(edge.operand);
  SmallVector<Operation *> readers = {reader.op};
  if (reader.value)
    readers = llvm::to_vector(value.getUsers());
  Passage passage;
  passage.needsMemory = llvm::any_of(readers, analysis::readsMemory);
  auto producer = dyn_cast<OpResult>(value);
  if (!producer)
    return passage;
  Operation *maker = producer.getOwner();
  const analysis::ExpectedKernels &kernels =
      costModel->getKernels(maker->getParentOfType<func::FuncOp>());
  for (Operation *op : readers) {
    analysis::ExpectedLink link = kernels.findLink(maker, op);
    passage.isInKernel |= link.isInKernel;
    passage.isWritten |= link.isInKernel && link.isWritten;
  }
  return passage;
}

const SearchProblem::Table &SearchProblem::getTable(const SearchEdge &edge) {
  const NodeOptions &from = *optionsOfNode[edge.from], &to = *optionsOfNode[edge.to];
  Passage passage = findPassage(edge);
  auto [it, isNew] =
      tables.try_emplace({&from, edge.result, &to, edge.operand, edge.type.getAsOpaquePointer(),
                          edge.runs, passage.isInKernel, passage.isWritten, passage.needsMemory});
  if (!isNew)
    return it->second;
  SmallVector<const Sharding *> made, wanted;
  for (const OpSharding &opSharding : from.opShardings)
    made.push_back(&opSharding.results[edge.result]);
  for (const OpSharding &opSharding : to.opShardings)
    wanted.push_back(&opSharding.operands[edge.operand]);
  std::vector<int64_t> costs;
  for (double seconds : costModel->costOfUses(edge.type, made, wanted, passage))
    costs.push_back(toPicoseconds(seconds) * edge.runs);
  if (llvm::any_of(costs, [](int64_t cost) { return cost != 0; }))
    it->second = std::move(costs);
  return it->second;
}

void SearchProblem::addEdge(const SearchEdge &edge) {
  if (const Table &table = getTable(edge))
    problem.edges.push_back({static_cast<int>(edge.from), static_cast<int>(edge.to), *table});
}

int64_t SearchProblem::getCost(const SearchEdge &edge, int32_t from, int32_t to) {
  const Table &table = getTable(edge);
  return table ? (*table)[from * optionsOfNode[edge.to]->opShardings.size() + to] : 0;
}

double SearchProblem::secondsHidden(unsigned node, int32_t option) const {
  const SearchNode &searched = graph.nodes[node];
  const OpSharding &opSharding = optionsOfNode[node]->opShardings[option];
  return searched.op ? costModel->secondsHidden(searched.op, opSharding) * double(searched.runs)
                     : 0;
}

std::vector<OwnCollective> SearchProblem::listCollectives(unsigned node, int32_t option) {
  Operation *op = graph.nodes[node].op;
  return op ? costModel->listCollectives(op, optionsOfNode[node]->opShardings[option])
            : std::vector<OwnCollective>();
}

const analysis::ReshardPlan &SearchProblem::planUse(const SearchEdge &edge, int32_t from,
                                                    int32_t to) {
  return costModel->planUse(edge.type,
                            optionsOfNode[edge.from]->opShardings[from].results[edge.result],
                            optionsOfNode[edge.to]->opShardings[to].operands[edge.operand]);
}

void SearchProblem::addOutput(const SearchOutput &output) {
  for (auto [opSharding, cost] :
       llvm::zip_equal(optionsOfNode[output.from]->opShardings, problem.nodes[output.from].costs)) {
    const Sharding &made = opSharding.results[output.result], whole = made.withoutPartial();
    cost += toPicoseconds(costModel->costOfUses(output.type, &made, &whole).front()) * output.runs;
  }
}

void SearchProblem::apply(const solve::StrategySolution &solution, SeedShardings &given) const {
  auto chosen = [](MLIRContext *context) {
    return analysis::Reasons::makeWhole(context, "chosen by the search");
  };
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    const OpSharding &opSharding = optionsOfNode[index]->opShardings[solution[index]];
    if (node.kind == SearchNode::Kind::Op) {
      GivenOp &entry = given.ops[node.op];
      entry.exact = opSharding;
      if (entry.why.isEmpty())
        entry.why = chosen(node.op->getContext());
    } else if (node.kind == SearchNode::Kind::Boundary) {
      given.set(node.role, opSharding.results.front(), chosen(node.role.getContext()));
    }
  }
}

} // namespace pcc::strategy
