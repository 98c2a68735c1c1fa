// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table behind listExamples, one row per example. Default sizes are small, except for gpt3.
#include "compiler/example/Transformer.h"

#include <algorithm>
#include <cmath>

using llvm::StringRef;

namespace pcc::example {

static std::string checkNothing(const Sizes &) { return ""; }

static std::string checkMoe(const Sizes &sizes) {
  int64_t experts = sizes.at("experts");
  return experts >= 2 ? ""
                      : "expected 'experts' of at least 2, as each token goes to two, got " +
                            std::to_string(experts);
}

static std::string checkResnet(const Sizes &sizes) {
  int64_t depth = sizes.at("depth"), stem = sizes.at("stem");
  if (depth != 18 && depth != 50)
    return "expected 'depth' to be 18 or 50, got " + std::to_string(depth);
  if (stem != 3 && stem != 7)
    return "expected 'stem' to be 3 or 7, got " + std::to_string(stem);
  return "";
}

// Upper bounds of the elements of each tensor. Computed in doubles, since products may overflow
// int64.

static double multiply(const Sizes &sizes, std::initializer_list<StringRef> names) {
  double product = 1;
  for (StringRef name : names)
    product *= double(sizes.at(name));
  return product;
}

static double boundMlp(const Sizes &sizes) {
  double batch = multiply(sizes, {"batch"}), classes = multiply(sizes, {"classes"});
  double widest = std::max(784., multiply(sizes, {"width"})); // 784 = 28*28 pixels
  return std::max(widest * std::max({widest, batch, classes}), batch * classes);
}

/// Considers the tables, their results for a batch, and weights and results of fc1 and fc2, which
/// have 512 and 256 units.
static double boundWideDeep(const Sizes &sizes) {
  double fields = multiply(sizes, {"fields", "width"}), batch = multiply(sizes, {"batch"});
  return std::max({multiply(sizes, {"vocabulary", "width"}), fields * std::max(512., batch),
                   512 * std::max(256., batch)});
}

/// Considers the input, the results of the first convolution and of all stages, and weights. Each
/// stage has twice the channels of the one before on half the extent, so at least one pixel.
static double boundResnet(const Sizes &sizes) {
  auto halve = [&](double extent) {
    return sizes.at("stem") == 7 ? std::ceil(extent / 2) : extent;
  };
  double batch = multiply(sizes, {"batch"}), image = multiply(sizes, {"image"});
  double first = halve(image), extent = halve(first);
  double channels = sizes.at("depth") == 50 ? 256 : 64;
  double ofSample = std::max(3 * image * image, 64 * first * first);
  for (int64_t stage = 0; stage < 4; ++stage) {
    ofSample = std::max(ofSample, channels * extent * extent);
    channels *= 2;
    extent = std::ceil(extent / 2);
  }
  // The greatest convolution has 512 channels and windows of 3*3. At the end there are at most 2048
  // channels.
  return std::max(
      {batch * ofSample, 512. * 512 * 9, std::max(2048., batch) * multiply(sizes, {"classes"})});
}

static double boundMoe(const Sizes &sizes) {
  double width = multiply(sizes, {"experts", "width"});
  return 2 * width * std::max(multiply(sizes, {"width"}), multiply(sizes, {"batch", "sequence"}));
}

/// Returns the bound of a transformer: `rows` are the tokens of the batch, `hidden` the width of
/// the feed-forward layers, `words` the rows of the embedding table and the columns of the logits;
/// 0: none.
static double boundTransformer(const Sizes &sizes, double rows, double hidden, double words) {
  double width = multiply(sizes, {"width"});
  return std::max(rows, width) * std::max({hidden, words, width});
}

static double boundLanguage(const Sizes &sizes) {
  return boundTransformer(sizes, multiply(sizes, {"batch", "sequence"}),
                          4 * multiply(sizes, {"width"}), multiply(sizes, {"vocabulary"}));
}

/// Same for a classifier, whose logits are [batch, classes]. Its other tensors have at most `other`
/// elements.
static double boundClassifier(const Sizes &sizes, double rows, double other) {
  double width = multiply(sizes, {"width"}), batch = multiply(sizes, {"batch"});
  return std::max({boundTransformer(sizes, rows, 4 * width, /*words=*/0), other,
                   std::max(batch, width) * multiply(sizes, {"classes"})});
}

static double boundBert(const Sizes &sizes) {
  return boundClassifier(sizes, multiply(sizes, {"batch", "sequence"}),
                         multiply(sizes, {"vocabulary", "width"}));
}

static double boundVit(const Sizes &sizes) {
  double batch = multiply(sizes, {"batch"});
  // Images of 32x32 RGB are 16 patches of 192 numbers, beside which there is a class token.
  double patches = std::max(3 * 32 * 32 * batch, 192 * multiply(sizes, {"width"}));
  return boundClassifier(sizes, 17 * batch, patches);
}

static double boundLlama(const Sizes &sizes) {
  return boundTransformer(sizes, multiply(sizes, {"batch", "sequence"}), double(getHidden(sizes)),
                          multiply(sizes, {"vocabulary"}));
}

llvm::ArrayRef<Example> listExamples() {
  static constexpr SizeOption mlp[] = {{"batch", 32}, {"width", 512}, {"classes", 10}};
  static constexpr SizeOption wideDeep[] = {
      {"batch", 32}, {"fields", 26}, {"vocabulary", 2048}, {"width", 64}};
  static constexpr SizeOption resnet[] = {
      {"batch", 32}, {"image", 32}, {"depth", 18}, {"stem", 7}, {"classes", 10}};
  static constexpr SizeOption moe[] = {
      {"batch", 8}, {"sequence", 32}, {"width", 64}, {"experts", 4}};
  static constexpr SizeOption language[] = {{"batch", 8},  {"sequence", 32}, {"layers", 2},
                                            {"width", 64}, {"heads", 4},     {"vocabulary", 128}};
  static constexpr SizeOption llama[] = {{"batch", 8},
                                         {"sequence", 32},
                                         {"layers", 2},
                                         {"width", 64},
                                         {"heads", 4},
                                         {"kv_heads", 0, "heads/2"},
                                         {"feed_forward", 0, "2*width"},
                                         {"vocabulary", 128}};
  static constexpr SizeOption mixtral[] = {
      {"batch", 8},
      {"sequence", 32},
      {"layers", 2},
      {"width", 64},
      {"heads", 4},
      {"kv_heads", 0, "heads/2"},
      {"feed_forward", 0, "2*width"},
      {"experts", 4},
      {"chosen", 2},                                               // experts of each token
      {"shared", 0, "none"},                                       // experts that take all tokens
      {"group", 0, "greatest divisor of sequence up to 256"},      // tokens routed together
      {"capacity", 0, "1.25*chosen*group/experts, at most group"}, // tokens of a group at an expert
      {"vocabulary", 128}};
  static constexpr SizeOption gpt3[] = {{"batch", 8},   {"sequence", 2048},
                                        {"layers", 96}, {"width", 12288},
                                        {"heads", 96},  {"vocabulary", 51200}};
  static constexpr SizeOption bert[] = {{"batch", 8},   {"sequence", 32}, {"layers", 2},
                                        {"width", 64},  {"heads", 4},     {"vocabulary", 128},
                                        {"classes", 10}};
  static constexpr SizeOption vit[] = {
      {"batch", 8}, {"layers", 2}, {"width", 64}, {"heads", 4}, {"classes", 10}};
  static constexpr Example examples[] = {
      {"bert", "bidirectional transformer with a classifier", bert, checkTransformer, boundBert,
       buildBert},
      {"gpt", "transformer that predicts the next token", language, checkTransformer, boundLanguage,
       buildGpt},
      {"gpt2", "gpt whose head is tied to its embedding table", language, checkTransformer,
       boundLanguage, buildGpt2},
      {"gpt3", "gpt in the size of GPT-3, its vocabulary rounded up to a multiple of 1024", gpt3,
       checkTransformer, boundLanguage, buildGpt},
      {"llama", "gpt with rotary embeddings, grouped-query attention and SwiGLU", llama, checkLlama,
       boundLlama, buildLlama},
      {"mixtral", "llama with mixtures of experts, each of which takes a limited number of tokens",
       mixtral, checkMixtral, boundMixtral, buildMixtral},
      {"mlp", "three dense layers for handwritten digits", mlp, checkNothing, boundMlp, buildMlp},
      {"moe", "one layer of a mixture of experts", moe, checkMoe, boundMoe, buildMoe},
      {"resnet", "residual convolutional network", resnet, checkResnet, boundResnet, buildResnet},
      {"vit", "transformer on patches of images", vit, checkTransformer, boundVit, buildVit},
      {"wide_deep", "wide and deep recommender", wideDeep, checkNothing, boundWideDeep,
       buildWideDeep},
  };
  return examples;
}

} // namespace pcc::example
