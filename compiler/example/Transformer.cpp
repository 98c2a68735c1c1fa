// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPT, BERT and ViT are stacks of one block (addBlock). The block differs only in its causal mask
// and in the form of GELU that belongs to it. LLaMA has a block of its own (Llama.cpp).
// Examples.cpp lists the models.
#include "compiler/example/Transformer.h"

#include <cmath>

using namespace mlir;

namespace pcc::example {

std::string checkTransformer(const Sizes &sizes) {
  int64_t width = sizes.at("width"), heads = sizes.at("heads");
  if (width % (2 * heads))
    return "expected 'width' to be an even number for each of " + std::to_string(heads) +
           " 'heads', got " + std::to_string(width);
  return "";
}

Value toHeads(Network &net, Value x, const TransformerSizes &sizes, int64_t heads) {
  x = net.reshape(x, {sizes.batch, sizes.sequence, heads, sizes.getHeadWidth()});
  return net.transpose(x, {0, 2, 1, 3});
}

Value attend(Network &net, Value query, Value key, Value value, const TransformerSizes &sizes,
             bool isCausal) {
  auto attention = net.makeOp<graph::AttentionOp>(
      query, key, value, /*mask=*/Value(), /*offset=*/Value(),
      APFloat(1.0 / std::sqrt(double(sizes.getHeadWidth()))), isCausal);
  Value rows = net.transpose(attention.getResult(), {0, 2, 1, 3});
  return net.reshape(rows, {sizes.batch, sizes.sequence, sizes.width});
}

static Value addAttention(Network &net, Value x, const TransformerSizes &sizes, bool isCausal) {
  Network::Scope scope(net, "attn");
  auto project = [&](StringRef name) {
    return toHeads(net, net.linear(name, x, sizes.width), sizes, sizes.heads);
  };
  Value query = project("q"), key = project("k"), value = project("v");
  return net.linear("proj", attend(net, query, key, value, sizes, isCausal), sizes.width);
}

/// Adds attention and a feed-forward layer of four times the width. Each has a layer norm before it
/// and a residual connection. Gelu has its tanh form in causal models, its exact form in others.
static Value addBlock(Network &net, const Twine &name, Value x, const TransformerSizes &sizes,
                      bool isCausal) {
  Network::Scope scope(net, name);
  x = net.make<graph::AddOp>(x, addAttention(net, net.layerNorm("ln1", x), sizes, isCausal));
  Value hidden = net.linear("fc", net.layerNorm("ln2", x), 4 * sizes.width);
  auto form = isCausal ? graph::GeluForm::Tanh : graph::GeluForm::Exact;
  hidden = net.make<graph::GeluOp>(hidden, form);
  return net.make<graph::AddOp>(x, net.linear("out", hidden, sizes.width));
}

/// Radford et al.: Language models are unsupervised multitask learners, 2019. With `isTied` the
/// head uses the embedding table, as in the paper; otherwise it has a weight of its own.
static OwningOpRef<ModuleOp> buildGpt(const Sizes &given, FloatType type, bool isTied) {
  Network net(type);
  TransformerSizes sizes(given);
  int64_t vocabulary = given.at("vocabulary");
  Value ids = net.input("x", net.i64(), {sizes.batch, sizes.sequence});
  Value words = net.embedding("wte", ids, vocabulary, sizes.width);
  Value places = net.normal("wpe.weight", {sizes.sequence, sizes.width}, 0.02);
  Value x = net.make<graph::AddOp>(words, net.broadcast(places, shapeOf(words), {1, 2}));
  for (int64_t layer = 0; layer < given.at("layers"); ++layer)
    x = addBlock(net, "h." + Twine(layer), x, sizes, /*isCausal=*/true);
  x = net.layerNorm("ln_f", x);
  Value logits = isTied ? net.tiedLinear("head", x, words.getDefiningOp()->getOperand(0))
                        : net.linear("head", x, vocabulary, /*hasBias=*/false);
  return net.finish(logits, "logits");
}

OwningOpRef<ModuleOp> buildGpt(const Sizes &given, FloatType type) {
  return buildGpt(given, type, /*isTied=*/false);
}

OwningOpRef<ModuleOp> buildGpt2(const Sizes &given, FloatType type) {
  return buildGpt(given, type, /*isTied=*/true);
}

/// Devlin et al.: BERT, NAACL 2019, with a classifier on the first position.
OwningOpRef<ModuleOp> buildBert(const Sizes &given, FloatType type) {
  Network net(type);
  TransformerSizes sizes(given);
  Value ids = net.input("x", net.i64(), {sizes.batch, sizes.sequence});
  Value types = net.input("y", net.i64(), {sizes.batch, sizes.sequence});
  Value x = net.make<graph::AddOp>(net.embedding("word", ids, given.at("vocabulary"), sizes.width),
                                   net.embedding("token_type", types, 2, sizes.width));
  Value places = net.normal("pos.weight", {sizes.sequence, sizes.width}, 0.02);
  x = net.make<graph::AddOp>(x, net.broadcast(places, shapeOf(x), {1, 2}));
  x = net.layerNorm("ln", x);
  for (int64_t layer = 0; layer < given.at("layers"); ++layer)
    x = addBlock(net, "layer." + Twine(layer), x, sizes, /*isCausal=*/false);
  x = net.slice(x, 1, 0, 1);
  x = net.linear("pooler", net.reshape(x, {sizes.batch, sizes.width}), sizes.width);
  return net.finish(net.linear("classifier", net.make<graph::TanhOp>(x), given.at("classes")),
                    "logits");
}

/// Dosovitskiy et al.: An image is worth 16x16 words, ICLR 2021, with images of 32x32 and patches
/// of 8x8.
OwningOpRef<ModuleOp> buildVit(const Sizes &given, FloatType type) {
  Network net(type);
  Sizes withSequence = given;
  withSequence["sequence"] = 17;
  TransformerSizes sizes(withSequence);
  Value image = net.data("x", {sizes.batch, 3, 32, 32});
  Value kernel = net.normal("patch.weight", {sizes.width, 3, 8, 8}, 0.07);
  Value x = net.make<graph::Conv2dOp>(image, kernel, ArrayRef<int64_t>{8, 8},
                                      ArrayRef<int64_t>{0, 0, 0, 0}, ArrayRef<int64_t>{1, 1});
  Value bias = net.zeros("patch.bias", sizes.width);
  x = net.make<graph::AddOp>(x, net.broadcast(bias, shapeOf(x), 1));
  x = net.transpose(net.reshape(x, {sizes.batch, sizes.width, 16}), {0, 2, 1});
  Value first = net.zeros("cls", {1, 1, sizes.width});
  first = net.broadcast(first, {sizes.batch, 1, sizes.width}, {0, 1, 2});
  x = net.make<graph::ConcatOp>(ValueRange{first, x}, /*axis=*/1);
  Value places = net.normal("pos", {1, 17, sizes.width}, 0.02);
  x = net.make<graph::AddOp>(x, net.broadcast(places, shapeOf(x), {0, 1, 2}));
  for (int64_t layer = 0; layer < given.at("layers"); ++layer)
    x = addBlock(net, "blocks." + Twine(layer), x, sizes, /*isCausal=*/false);
  x = net.layerNorm("norm", x);
  x = net.reshape(net.slice(x, 1, 0, 1), {sizes.batch, sizes.width});
  return net.finish(net.linear("head", x, given.at("classes")), "logits");
}

} // namespace pcc::example
