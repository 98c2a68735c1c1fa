// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jiang et al.: Mixtral of experts, 2024: LLaMA whose feed-forward layers are mixtures of experts.
// `shared` experts take all tokens, as in DeepSeekMoE (Dai et al., 2024).
//
// Tokens are dispatched to their top `chosen` experts as in GShard (Lepikhin et al., ICLR 2021,
// algorithm 1), but without random routing. They are served in the order of their positions, each
// with all its choices. Each group of tokens has `capacity` slots at each expert. A token that
// finds no slot left is dropped by this expert. `to_slots` is the dispatch mask, to_slots * share
// the combine weights:
//
//   to_slots[group, position, expert, slot]   1 if the position has this slot, else 0
//   sent     = einsum("gtec,gtm->egcm", to_slots, x)
//   returned = einsum("gtec,egcm->gtm", to_slots * share, expert(sent))
//
// If ranks split the groups of `x` and the experts of `sent`, the two are connected by all-to-alls:
// expert parallelism.
#include "compiler/example/Transformer.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pcc::example {
namespace {

constexpr int64_t maxDefaultGroup = 256;

struct ExpertSizes {
  int64_t experts, chosen, group, capacity, hidden, shared;

  explicit ExpertSizes(const Sizes &sizes)
      : experts(sizes.at("experts")), chosen(sizes.at("chosen")), group(sizes.at("group")),
        capacity(sizes.at("capacity")), hidden(getHidden(sizes)), shared(sizes.at("shared")) {
    int64_t sequence = sizes.at("sequence");
    if (group == 0)
      for (group = std::min(sequence, maxDefaultGroup); sequence % group != 0;)
        --group;
    if (capacity == 0)
      capacity = std::min<int64_t>(group, llvm::divideCeil(5 * chosen * group, 4 * experts));
  }
};

/// Tells which slots of which experts positions have.
struct Routing {
  Value toSlots; ///< [group, position, expert, slot]: 1 or 0
  Value shares;  ///< the same with the share that the expert has of the position's result
};

class MixtureBuilder {
public:
  MixtureBuilder(Network &net, const ExpertSizes &sizes) : net(net), sizes(sizes) {}

  /// Adds a layer to [batch, sequence, width].
  Value build(Value x) {
    Shape groups{shapeOf(x)[0] * shapeOf(x)[1] / sizes.group, sizes.group, shapeOf(x)[2]};
    Value logits = net.linear("gate", x, sizes.experts, /*hasBias=*/false);
    Routing routing = route(net.reshape(logits, {groups[0], groups[1], sizes.experts}));
    Value sent =
        net.make<graph::EinsumOp>(routing.toSlots, net.reshape(x, groups), "gtec,gtm->egcm");
    Value returned = net.make<graph::EinsumOp>(routing.shares, addExperts(sent), "gtec,egcm->gtm");
    Value result = net.reshape(returned, shapeOf(x));
    if (sizes.shared == 0)
      return result;
    Network::Scope scope(net, "shared");
    return net.make<graph::AddOp>(result, addSwiGlu(net, x, sizes.shared * sizes.hidden));
  }

private:
  /// Sends positions to the experts with the greatest logits [group, position, expert].
  Routing route(Value logits) {
    int64_t groups = shapeOf(logits)[0];
    Shape chosen{groups, sizes.group, sizes.chosen};
    auto best = net.makeOp<graph::TopKOp>(RankedTensorType::get(chosen, net.floats()),
                                          RankedTensorType::get(chosen, net.i64()), logits,
                                          /*axis=*/2, /*smallest=*/false);
    Shape ofExperts{groups, sizes.group, sizes.chosen, sizes.experts};
    Value expert = oneHot(best.getIndices(), ofExperts, net.floats());
    Value slot = oneHot(net.reshape(findSlots(best.getIndices()), chosen),
                        {groups, sizes.group, sizes.chosen, sizes.capacity}, net.floats());
    Value share = net.make<graph::SoftmaxOp>(best.getValues(), /*axis=*/2);
    Value shared = net.make<graph::MulOp>(expert, net.broadcast(share, ofExperts, {0, 1, 2}));
    return {net.make<graph::EinsumOp>(expert, slot, "gtke,gtkc->gtec"),
            net.make<graph::EinsumOp>(shared, slot, "gtke,gtkc->gtec")};
  }

  /// Returns the number of each choice [group, position, choice] among those of its expert, as
  /// [group, position * choice]. Numbers of the capacity and more are no slots.
  Value findSlots(Value choices) {
    Shape flat{shapeOf(choices)[0], sizes.group * sizes.chosen};
    // f32 counts exactly, which half types do not.
    Value expert = oneHot(net.reshape(choices, flat), {flat[0], flat[1], sizes.experts}, net.f32());
    Value before = net.make<graph::CumsumOp>(expert.getType(), expert, /*axis=*/1,
                                             /*exclusive=*/true, /*reverse=*/false);
    Value number = net.make<graph::ReduceOp>(
        graph::ReduceOpKind::Sum, net.make<graph::MulOp>(before, expert), ArrayRef<int64_t>{2});
    return net.cast(number, net.i64());
  }

  /// Returns 1 where the last dimension of `shape` equals the index, else 0.
  Value oneHot(Value indices, ArrayRef<int64_t> shape, Type element) {
    return net.make<graph::OneHotOp>(RankedTensorType::get(shape, element), indices,
                                     /*axis=*/int64_t(shape.size()) - 1);
  }

  /// Adds the gated feed-forward layers of all experts to [expert, group, slot, width].
  Value addExperts(Value sent) {
    Network::Scope scope(net, "experts");
    int64_t width = shapeOf(sent).back();
    auto multiply = [&](StringRef name, Value x, int64_t out) {
      Network::Scope scope(net, name);
      int64_t in = shapeOf(x).back();
      Value weight = net.normal("weight", {sizes.experts, out, in}, 1.0 / std::sqrt(double(in)));
      return net.make<graph::EinsumOp>(x, weight, "egci,eoi->egco");
    };
    Value gate = net.make<graph::SiluOp>(multiply("gate", sent, sizes.hidden));
    Value up = multiply("up", sent, sizes.hidden);
    return multiply("down", net.make<graph::MulOp>(gate, up), width);
  }

  Network &net;
  const ExpertSizes &sizes;
};

} // namespace

std::string checkMixtral(const Sizes &given) {
  ExpertSizes sizes(given);
  if (sizes.chosen > sizes.experts)
    return "expected 'chosen' to be at most the number of 'experts', " +
           std::to_string(sizes.experts) + ", got " + std::to_string(sizes.chosen);
  if (int64_t sequence = given.at("sequence"); sequence % sizes.group != 0)
    return "expected 'group' to divide the 'sequence' of " + std::to_string(sequence) + ", got " +
           std::to_string(sizes.group);
  return checkLlama(given);
}

double boundMixtral(const Sizes &given) {
  ExpertSizes sizes(given);
  double rows = double(given.at("batch")) * double(given.at("sequence"));
  double width = double(given.at("width")), hidden = double(sizes.hidden);
  double experts = double(sizes.experts), shared = double(sizes.shared) * hidden;
  double slots = rows / double(sizes.group) * experts * double(sizes.capacity);
  return std::max(
      {rows * experts * double(std::max(sizes.capacity, sizes.chosen)), // routing
       slots * std::max(hidden, width), experts * width * hidden,
       std::max(rows, width) * std::max({shared, width, double(given.at("vocabulary"))})});
}

OwningOpRef<ModuleOp> buildMixtral(const Sizes &given, FloatType type) {
  ExpertSizes sizes(given);
  return buildBlocks(given, type, [&](Network &net, Value x) {
    Network::Scope scope(net, "moe");
    return MixtureBuilder(net, sizes).build(x);
  });
}

} // namespace pcc::example
