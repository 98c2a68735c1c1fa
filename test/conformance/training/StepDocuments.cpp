// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that change the answer into what the option documents say. Each rule changes one decision
// of MindSpore and returns the reason. A rule that does not apply changes nothing.
#include "test/conformance/strategies/ModelWriter.h"
#include "test/conformance/training/Step.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace pcc::conformance {
namespace {

/// One parameter, to which rules are applied.
struct Ruled {
  const Case &question;
  const StepOptions &options;
  const NamedShape &parameter;
  Share &share;

  const Transfer *find(llvm::StringRef kind) const {
    auto found =
        llvm::find_if(share.transfers, [&](const Transfer &t) { return t.kind == kind.str(); });
    return found == share.transfers.end() ? nullptr : &*found;
  }
  /// Returns the part of the parameter that a rank holds by the strategy alone.
  Shape whole() const {
    const Transfer *scatter = find("ReduceScatter");
    return scatter ? scatter->input : share.slice;
  }
  bool isTrue(llvm::StringRef mark, bool otherwise) const {
    return question.object->getObject("params")
        ->getObject(parameter.name)
        ->getBoolean(mark)
        .value_or(otherwise);
  }
  bool mayBeSharded() const {
    Shape shape = whole();
    int64_t bytes =
        std::accumulate(shape.begin(), shape.end(), elementOf(parameter.element) == "f16" ? 2 : 4,
                        std::multiplies<int64_t>());
    return options.shardsOptimizer && bytes >= options.threshold &&
           isTrue("parallel_optimizer", true) && !isTrue("layerwise_parallel", false);
  }
};

/// Shards the parameter over all of `group`, in the first dimension that the group's size divides.
/// Without such a dimension nothing changes.
void shardOver(Ruled &ruled, const std::vector<int64_t> &group) {
  Shape whole = ruled.whole(), part = whole;
  int64_t ranks = group.size();
  auto cut = llvm::find_if(part, [&](int64_t size) { return size % ranks == 0; });
  if (ranks == 1 || cut == part.end())
    return;
  *cut /= ranks;
  ruled.share.slice = part;
  ruled.share.states.assign(ruled.share.states.size(), part);
  ruled.share.transfers = {{"AllGather", group, part, elementOf(ruled.parameter.element)},
                           {"ReduceScatter", group, whole, "f32"}};
}

std::string shardOverAllHolders(Ruled &ruled) {
  const Transfer *scatter = ruled.find("ReduceScatter"), *reduce = ruled.find("AllReduce");
  if (!ruled.options.limitsShards || !scatter || !reduce)
    return "";
  std::vector<int64_t> group;
  for (int64_t first : scatter->group)
    for (int64_t second : reduce->group)
      group.push_back(first + second - ruled.options.rank);
  llvm::sort(group);
  shardOver(ruled, group);
  return "optimizer_weight_shard_size is not there: all ranks that hold the same share it";
}

std::string shardOtherDimensions(Ruled &ruled) {
  const Transfer *reduce = ruled.find("AllReduce");
  if (!reduce || ruled.find("ReduceScatter") || !ruled.mayBeSharded() ||
      ruled.share.slice.front() % reduce->group.size() == 0)
    return "";
  shardOver(ruled, std::vector<int64_t>(reduce->group));
  return ruled.find("AllReduce")
             ? ""
             : "the first dimension that the ranks divide is cut, not dimension 0 alone";
}

/// Returns the number of parts into which the work of a node is cut.
int64_t countParts(const Node &node, const Tuples &strategy) {
  int64_t columns = node.op == "MatMul" ? strategy.back().back() : 1;
  return std::accumulate(strategy.front().begin(), strategy.front().end(), columns,
                         std::multiplies<int64_t>());
}

/// Ranks that a strategy leaves unused follow the used ranks, and repeat their calculation.
std::string sliceRepeated(Ruled &ruled) {
  const Transfer *scatter = ruled.find("ReduceScatter");
  if (!scatter)
    return "";
  int64_t repeats = 1;
  for (const Node &node : ruled.question.nodes)
    if (std::optional<Tuples> strategy = ModelWriter::strategyOf(node);
        strategy && llvm::is_contained(node.inputs, ruled.parameter.name))
      repeats = ruled.options.ranks / countParts(node, *strategy);
  Transfer sliced = *scatter;
  llvm::erase_if(sliced.group,
                 [&](int64_t rank) { return rank % repeats != ruled.options.rank % repeats; });
  if (sliced.group == scatter->group)
    return "";
  auto cut = llvm::find_if(sliced.input, [&](int64_t size) { return size % repeats == 0; });
  *cut /= repeats;
  ruled.share.transfers.erase(*scatter);
  ruled.share.transfers.insert(sliced);
  return "ranks that calculate the same gradient take slices of it before others' are added";
}

std::string keepParametersWhole(Ruled &ruled) {
  if (ruled.options.level == 3 || !ruled.find("AllGather"))
    return "";
  ruled.share.slice = ruled.whole();
  return "parameters are sharded at level 3 alone";
}

std::string shardAccumulatorsByLevel(Ruled &ruled) {
  if (ruled.options.slots == 1 || !ruled.find("AllGather"))
    return "";
  Shape accumulator = ruled.options.level == 1 ? ruled.whole() : ruled.share.states.front();
  if (accumulator == ruled.share.accumulator)
    return "";
  ruled.share.accumulator = accumulator;
  return "the level says whether gradients are accumulated in parts";
}

std::string reduceInWideType(Ruled &ruled) {
  std::set<Transfer> transfers;
  for (Transfer transfer : ruled.share.transfers) {
    if (transfer.kind != "AllGather")
      transfer.element = "f32";
    transfers.insert(transfer);
  }
  if (transfers == ruled.share.transfers)
    return "";
  ruled.share.transfers = transfers;
  return "gradient_fp32_sync is the default: f16 gradients are added in f32";
}

constexpr std::string (*rules[])(Ruled &) = {shardOverAllHolders, shardOtherDimensions,
                                             keepParametersWhole, shardAccumulatorsByLevel,
                                             reduceInWideType,    sliceRepeated};

/// If each rank has a loss of its own, MindSpore assigns whole parameters to ranks. It
/// knows only two optimizers and requires at least as many parameters as ranks.
std::string shardEveryParameter(const Case &question, const StepOptions &options, Step &step) {
  if (!options.shardsOptimizer || !hasLossPerRank(question))
    return "";
  std::vector<int64_t> all(question.devices);
  std::iota(all.begin(), all.end(), 0);
  size_t states = llvm::StringRef(options.optimizer).starts_with("momentum") ? 1 : 2;
  for (const NamedShape &parameter : question.parameters) {
    Share &share = step[parameter.name] = Share{};
    share.slice = parameter.shape;
    share.states.assign(states, parameter.shape);
    share.factor = options.gradientsMean ? 1 : question.devices;
    Ruled ruled{question, options, parameter, share};
    bool isOwn = ruled.isTrue("layerwise_parallel", false);
    if (isOwn)
      share.factor = question.devices;
    else
      share.transfers = {{"AllReduce", all, parameter.shape, "f32"}};
    if (ruled.mayBeSharded())
      shardOver(ruled, all);
  }
  return "any optimizer is sharded in any mode, within each parameter";
}

} // namespace

std::vector<std::string> applyDocuments(const Case &question, Step &step) {
  StepOptions options(question);
  std::set<std::string> reasons = {shardEveryParameter(question, options, step)};
  for (const NamedShape &parameter : question.parameters)
    if (auto share = step.find(parameter.name); share != step.end())
      for (auto rule : rules) {
        Ruled ruled{question, options, parameter, share->second};
        reasons.insert(rule(ruled));
      }
  reasons.erase("");
  return {reasons.begin(), reasons.end()};
}

} // namespace pcc::conformance
