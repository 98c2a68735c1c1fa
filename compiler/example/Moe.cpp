// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mixture of experts: each token goes to the two experts with the greatest probabilities (Shazeer
// et al.: Outrageously large neural networks, ICLR 2017, without noise and loss for balance). All
// experts compute all tokens, and the weights of experts that are not chosen are zero.
#include "compiler/example/Example.h"
#include "compiler/example/Network.h"

using namespace mlir;

namespace pcc::example {

/// Returns the weight of each expert for each token, [tokens, experts]. These are the two greatest
/// probabilities divided by their sum, and zeros.
static Value chooseExperts(Network &net, Value probabilities) {
  int64_t tokens = shapeOf(probabilities)[0], experts = shapeOf(probabilities)[1];
  auto two = RankedTensorType::get({tokens, 2}, net.floats());
  auto best =
      net.makeOp<graph::TopKOp>(two, RankedTensorType::get({tokens, 2}, net.i64()), probabilities,
                                /*axis=*/1, /*smallest=*/false);
  Value sum =
      net.make<graph::ReduceOp>(graph::ReduceOpKind::Sum, best.getValues(), ArrayRef<int64_t>{1});
  Value share = net.make<graph::DivOp>(best.getValues(), net.broadcast(sum, {tokens, 2}, 0));
  Value chosen = net.make<graph::OneHotOp>(
      RankedTensorType::get({tokens, 2, experts}, net.floats()), best.getIndices(), /*axis=*/2);
  Value weights =
      net.make<graph::MulOp>(chosen, net.broadcast(share, {tokens, 2, experts}, {0, 1}));
  return net.make<graph::ReduceOp>(graph::ReduceOpKind::Sum, weights, ArrayRef<int64_t>{1});
}

OwningOpRef<ModuleOp> buildMoe(const Sizes &sizes, FloatType type) {
  Network net(type);
  int64_t batch = sizes.at("batch"), sequence = sizes.at("sequence"), width = sizes.at("width");
  int64_t experts = sizes.at("experts"), tokens = batch * sequence;
  Value x = net.data("x", {batch, sequence, width});
  Value flat = net.reshape(x, {tokens, width});
  Value logits = net.linear("gate", flat, experts, /*hasBias=*/false);
  Value weights = chooseExperts(net, net.make<graph::SoftmaxOp>(logits, /*axis=*/1));
  Value w1 = net.normal("w1", {experts, width, 2 * width}, 0.02);
  Value w2 = net.normal("w2", {experts, 2 * width, width}, 0.02);
  Value all = net.broadcast(flat, {experts, tokens, width}, {1, 2});
  Value hidden = net.make<graph::GeluOp>(net.make<graph::MatmulOp>(all, w1, false, false),
                                         graph::GeluForm::Exact);
  Value result = net.make<graph::MatmulOp>(hidden, w2, false, false);
  Value scale = net.broadcast(net.transpose(weights, {1, 0}), shapeOf(result), {0, 1});
  result = net.make<graph::MulOp>(result, scale);
  result = net.make<graph::ReduceOp>(graph::ReduceOpKind::Sum, result, ArrayRef<int64_t>{0});
  return net.finish(net.reshape(result, {batch, sequence, width}), "logits");
}

} // namespace pcc::example
