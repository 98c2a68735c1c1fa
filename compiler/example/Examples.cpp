// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table behind listExamples, one row per example. Default sizes are small, except for gpt3.
#include "compiler/example/Llama.h"

#include <algorithm>

using llvm::StringRef;

namespace pcc::example {

static std::string checkNothing(const Sizes &) { return ""; }

static std::string checkResnet(const Sizes &sizes) {
  int64_t depth = sizes.at("depth"), stem = sizes.at("stem");
  if (depth != 18 && depth != 50)
    return "expected 'depth' to be 18 or 50, got " + std::to_string(depth);
  if (stem != 3 && stem != 7)
    return "expected 'stem' to be 3 or 7, got " + std::to_string(stem);
  return "";
}

// The largest tensors, as numbers of elements. Products of sizes may exceed an integer.

static double multiply(const Sizes &sizes, std::initializer_list<StringRef> names) {
  double product = 1;
  for (StringRef name : names)
    product *= double(sizes.at(name));
  return product;
}

static double measureMlp(const Sizes &sizes) {
  double widest = std::max(784., multiply(sizes, {"width"}));
  return widest * std::max({widest, multiply(sizes, {"batch"}), multiply(sizes, {"classes"})});
}

static double measureWideDeep(const Sizes &sizes) {
  double width = multiply(sizes, {"width"}), fields = multiply(sizes, {"fields"});
  return std::max({multiply(sizes, {"vocabulary"}) * width,
                   fields * width * std::max(512., multiply(sizes, {"batch"}))});
}

/// The result of the first convolution, or the last weights.
static double measureResnet(const Sizes &sizes) {
  double classes = 2048 * multiply(sizes, {"classes"});
  return std::max({64 * multiply(sizes, {"batch", "image", "image"}), 512. * 512 * 9, classes});
}

static double measureMoe(const Sizes &sizes) {
  double width = multiply(sizes, {"experts", "width"});
  return 2 * width * std::max(multiply(sizes, {"width"}), multiply(sizes, {"batch", "sequence"}));
}

/// Same for a transformer with `rows` positions of all samples and this width of its feed-forward
/// layers: activations and weights of a layer, and of the embedding and the head.
static double measureTransformer(const Sizes &sizes, double rows, double hidden, double words) {
  double width = multiply(sizes, {"width"});
  return std::max(rows, width) * std::max({hidden, words, width});
}

static double measureLanguage(const Sizes &sizes) {
  return measureTransformer(sizes, multiply(sizes, {"batch", "sequence"}),
                            4 * multiply(sizes, {"width"}), multiply(sizes, {"vocabulary"}));
}

static double measureVit(const Sizes &sizes) {
  double rows = 17 * multiply(sizes, {"batch"});
  return measureTransformer(sizes, rows, 4 * multiply(sizes, {"width"}),
                            multiply(sizes, {"classes"}));
}

static double measureLlama(const Sizes &sizes) {
  return measureTransformer(sizes, multiply(sizes, {"batch", "sequence"}), double(getHidden(sizes)),
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
  static constexpr SizeOption mixtral[] = {{"batch", 8},
                                           {"sequence", 32},
                                           {"layers", 2},
                                           {"width", 64},
                                           {"heads", 4},
                                           {"kv_heads", 0, "heads/2"},
                                           {"feed_forward", 0, "2*width"},
                                           {"experts", 4},
                                           {"chosen", 2},
                                           {"shared", 0, "none"},
                                           {"group", 0, "sequence, at most 256"},
                                           {"capacity", 0, "1.25*chosen*group/experts"},
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
      {"bert", "bidirectional transformer with a classifier", bert, checkTransformer,
       measureLanguage, buildBert},
      {"gpt", "transformer that predicts the next token", language, checkTransformer,
       measureLanguage, buildGpt},
      {"gpt2", "gpt whose head is tied to its embedding table", language, checkTransformer,
       measureLanguage, buildGpt2},
      {"gpt3", "the same in the size of GPT-3, its vocabulary rounded up to a multiple of 1024",
       gpt3, checkTransformer, measureLanguage, buildGpt},
      {"llama", "the same with rotary embeddings, grouped heads and gated layers", llama,
       checkLlama, measureLlama, buildLlama},
      {"mixtral",
       "llama with mixtures of experts, each of which takes a limited number of positions", mixtral,
       checkMixtral, measureMixtral, buildMixtral},
      {"mlp", "three dense layers for handwritten digits", mlp, checkNothing, measureMlp, buildMlp},
      {"moe", "one layer of a mixture of experts", moe, checkNothing, measureMoe, buildMoe},
      {"resnet", "residual convolutional network", resnet, checkResnet, measureResnet, buildResnet},
      {"vit", "transformer on patches of images", vit, checkTransformer, measureVit, buildVit},
      {"wide_deep", "wide and deep recommender", wideDeep, checkNothing, measureWideDeep,
       buildWideDeep},
  };
  return examples;
}

} // namespace pcc::example
