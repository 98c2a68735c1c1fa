// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Touvron et al.: LLaMA, 2023: root-mean-square norms, rotary embeddings, grouped heads, gated
// feed-forward layers, and no bias anywhere.
#include "compiler/example/Transformer.h"

#include <cmath>

using namespace mlir;

namespace pcc::example {
namespace {

Value rmsNorm(Network &net, StringRef name, Value x) {
  Network::Scope scope(net, name);
  Value scale = net.ones("weight", shapeOf(x).back());
  return net.make<graph::RmsNormOp>(x.getType(), x, scale, int64_t(shapeOf(x).size() - 1),
                                    APFloat(1e-6));
}

/// Cosines and sines of all positions: the angle of pair i grows by 10000^(-2 i / width) per
/// position.
struct Angles {
  Angles(Network &net, const TransformerSizes &sizes) {
    Network::Scope scope(net, "rotary");
    int64_t half = sizes.getHeadWidth() / 2;
    auto type = RankedTensorType::get({sizes.sequence, half}, net.f32());
    Value position = net.make<graph::IotaOp>(type, /*axis=*/0);
    Value pair = net.make<graph::IotaOp>(type, /*axis=*/1);
    Value rate = net.make<graph::ConstantOp>(type, -std::log(10000.0) / double(half));
    Value frequency = net.make<graph::ExpOp>(net.make<graph::MulOp>(pair, rate));
    Value angle = net.make<graph::MulOp>(position, frequency);
    // Angles are computed in f32 for all models, because half types have too few digits.
    cosine = net.cast(net.make<graph::CosOp>(angle), net.floats());
    sine = net.cast(net.make<graph::SinOp>(angle), net.floats());
  }

  Value rotate(Network &net, Value heads) const {
    return net.make<graph::RotaryEmbeddingOp>(heads.getType(), heads, cosine, sine,
                                              /*interleaved=*/false);
  }

  Value cosine, sine;
};

/// Adds attention in which several heads share one key and value.
Value addAttention(Network &net, Value x, const TransformerSizes &sizes, int64_t kvHeads,
                   const Angles &angles) {
  auto project = [&](StringRef name, int64_t heads) {
    return toHeads(net, net.linear(name, x, heads * sizes.getHeadWidth(), /*hasBias=*/false), sizes,
                   heads);
  };
  Value query = angles.rotate(net, project("q", sizes.heads));
  Value key = angles.rotate(net, project("k", kvHeads));
  Value attended = attend(net, query, key, project("v", kvHeads), sizes, /*isCausal=*/true);
  return net.linear("o", attended, sizes.width, /*hasBias=*/false);
}

int64_t getKvHeads(const Sizes &sizes) {
  int64_t given = sizes.at("kv_heads");
  return given ? given : std::max<int64_t>(1, sizes.at("heads") / 2);
}

} // namespace

Value addSwiGlu(Network &net, Value x, int64_t hidden) {
  auto widen = [&](StringRef name) { return net.linear(name, x, hidden, /*hasBias=*/false); };
  Value gate = net.make<graph::SiluOp>(widen("gate"));
  return net.linear("down", net.make<graph::MulOp>(gate, widen("up")), shapeOf(x).back(),
                    /*hasBias=*/false);
}

int64_t getHidden(const Sizes &sizes) {
  int64_t given = sizes.at("feed_forward");
  return given ? given : 2 * sizes.at("width");
}

std::string checkLlama(const Sizes &sizes) {
  int64_t heads = sizes.at("heads"), kvHeads = getKvHeads(sizes);
  if (heads % kvHeads)
    return "expected 'kv_heads' to divide " + std::to_string(heads) + " 'heads', got " +
           std::to_string(kvHeads);
  return checkTransformer(sizes);
}

OwningOpRef<ModuleOp> buildBlocks(const Sizes &given, FloatType type,
                                  AddFeedForward addFeedForward) {
  Network net(type);
  TransformerSizes sizes(given);
  int64_t vocabulary = given.at("vocabulary");
  Value ids = net.input("x", net.i64(), {sizes.batch, sizes.sequence});
  Value x = net.embedding("embed", ids, vocabulary, sizes.width);
  Angles angles(net, sizes);
  for (int64_t layer = 0; layer < given.at("layers"); ++layer) {
    Network::Scope scope(net, "layers." + Twine(layer));
    x = net.make<graph::AddOp>(
        x, addAttention(net, rmsNorm(net, "n1", x), sizes, getKvHeads(given), angles));
    x = net.make<graph::AddOp>(x, addFeedForward(net, rmsNorm(net, "n2", x)));
  }
  Value logits = net.linear("head", rmsNorm(net, "norm", x), vocabulary, /*hasBias=*/false);
  return net.finish(logits, "logits");
}

OwningOpRef<ModuleOp> buildLlama(const Sizes &sizes, FloatType type) {
  return buildBlocks(sizes, type,
                     [&](Network &net, Value x) { return addSwiGlu(net, x, getHidden(sizes)); });
}

} // namespace pcc::example
