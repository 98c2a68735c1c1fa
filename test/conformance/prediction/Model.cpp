// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/prediction/Model.h"

#include "compiler/example/Network.h"

#include <cmath>

using namespace mlir;
using pcc::example::Network;
using pcc::example::Shape;
using pcc::example::shapeOf;

namespace pcc::conformance {
namespace {

class Gpt {
public:
  Gpt(const GptShape &shape, MLIRContext &context)
      : shape(shape), net(Float32Type::get(&context)), headWidth(shape.width / shape.heads) {}

  OwningOpRef<ModuleOp> build() {
    Value ids = net.input("x", net.i64(), {shape.batch, shape.sequence});
    Value table = net.normal("wte.weight", {shape.vocabulary, shape.width}, 0.02);
    Value x = net.make<graph::GatherOp>(table, ids, /*axis=*/0);
    Value places = net.normal("wpe.weight", {shape.sequence, shape.width}, 0.02);
    x = net.make<graph::AddOp>(x, net.broadcast(places, shapeOf(x), {1, 2}));
    x = drop(x);
    for (int64_t layer = 0; layer < shape.layers; ++layer)
      x = addBlock(x, layer);
    x = net.layerNorm("ln_f", x);
    Network::Scope scope(net, "head");
    if (shape.hasOwnHead)
      table = net.normal("weight", {shape.vocabulary, shape.width}, 0.02);
    return net.finish(net.make<graph::EinsumOp>(x, table, "bsi,oi->bso"), "logits");
  }

private:
  Value constant(Value like, double value) {
    auto type = cast<RankedTensorType>(like.getType());
    return net.make<graph::ConstantOp>(
        DenseElementsAttr::get(type, FloatAttr::get(type.getElementType(), value)));
  }

  Value indices(Value like, int64_t axis) {
    auto type = cast<RankedTensorType>(like.getType()).clone(net.i64());
    return net.make<graph::IotaOp>(type, axis);
  }

  /// Applies dropout. The mask is saved for the gradient, one byte an element. The mask's values do
  /// not affect the cost.
  Value drop(Value x) {
    if (shape.dropout == 0)
      return x;
    Network::Scope scope(net, "dropout");
    Value seed = net.make<graph::ConstantOp>(
        DenseElementsAttr::get(RankedTensorType::get({}, net.i64()), int64_t(1)));
    Value random =
        net.make<graph::RngUniformOp>(x.getType(), indices(x, shapeOf(x).size() - 1), seed);
    Value isKept =
        net.make<graph::CompareOp>(graph::Direction::GE, random, constant(x, shape.dropout));
    Value scaled = net.make<graph::MulOp>(x, constant(x, 1 / (1 - shape.dropout)));
    return net.make<graph::SelectOp>(isKept, scaled, constant(x, 0));
  }

  Value attendInPieces(Value query, Value key, Value value) {
    Value scores = net.make<graph::EinsumOp>(query, key, "bqhd,bkhd->bhqk");
    scores = net.make<graph::MulOp>(scores, constant(scores, 1 / std::sqrt(double(headWidth))));
    Value isSeen =
        net.make<graph::CompareOp>(graph::Direction::GE, indices(scores, 2), indices(scores, 3));
    scores = net.make<graph::SelectOp>(isSeen, scores, constant(scores, -10000));
    Value weights = drop(net.make<graph::SoftmaxOp>(scores, /*axis=*/3));
    return net.make<graph::EinsumOp>(weights, value, "bhqk,bkhd->bhqd");
  }

  Value attendAtOnce(Value query, Value key, Value value) {
    auto toHeads = [&](Value x) { return net.transpose(x, {0, 2, 1, 3}); };
    auto attention = net.makeOp<graph::AttentionOp>(
        toHeads(query), toHeads(key), toHeads(value), /*mask=*/Value(), /*offset=*/Value(),
        APFloat(1 / std::sqrt(double(headWidth))), /*causal=*/true);
    return attention.getResult();
  }

  /// Projects to query, key and value of each head, side by side. The bias has the shape of the
  /// heads and is added after the reshape, so that the projection stays one matmul.
  Value projectToHeads(Value x, const Shape &heads) {
    Value all = net.reshape(net.linear("qkv", x, 3 * shape.width, /*hasBias=*/false), heads);
    Network::Scope scope(net, "qkv");
    Value bias = net.zeros("bias", ArrayRef(heads).drop_front(2));
    return net.make<graph::AddOp>(all, net.broadcast(bias, heads, {2, 3}));
  }

  Value addAttention(Value x) {
    Network::Scope scope(net, "attn");
    Shape heads = {shape.batch, shape.sequence, shape.heads, 3 * headWidth};
    Value all = projectToHeads(x, heads);
    auto piece =
        RankedTensorType::get({shape.batch, shape.sequence, shape.heads, headWidth}, net.f32());
    auto split = net.makeOp<graph::SplitOp>(TypeRange{piece, piece, piece}, all, /*axis=*/3);
    Value query = split->getResult(0), key = split->getResult(1), value = split->getResult(2);
    {
      Network::Scope core(net, "core");
      x = shape.hasFusedAttention ? attendAtOnce(query, key, value)
                                  : attendInPieces(query, key, value);
      x = net.transpose(x, {0, 2, 1, 3});
    }
    return net.linear("proj", net.reshape(x, {shape.batch, shape.sequence, shape.width}),
                      shape.width);
  }

  Value addBlock(Value x, int64_t layer) {
    Network::Scope scope(net, "h." + Twine(layer));
    x = net.make<graph::AddOp>(x, drop(addAttention(net.layerNorm("ln1", x))));
    Value hidden = net.linear("fc", net.layerNorm("ln2", x), 4 * shape.width);
    hidden = net.make<graph::GeluOp>(hidden, graph::GeluForm::Tanh);
    return net.make<graph::AddOp>(x, drop(net.linear("out", hidden, shape.width)));
  }

  const GptShape &shape;
  Network net;
  int64_t headWidth;
};

} // namespace

OwningOpRef<ModuleOp> buildGpt(const GptShape &shape, MLIRContext &context) {
  return Gpt(shape, context).build();
}

} // namespace pcc::conformance
