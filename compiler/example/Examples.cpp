// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table behind listExamples, one row per example. Default sizes are small, except for gpt3.
#include "compiler/example/Transformer.h"

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
  static constexpr SizeOption gpt3[] = {{"batch", 8},   {"sequence", 2048},
                                        {"layers", 96}, {"width", 12288},
                                        {"heads", 96},  {"vocabulary", 51200}};
  static constexpr SizeOption bert[] = {{"batch", 8},   {"sequence", 32}, {"layers", 2},
                                        {"width", 64},  {"heads", 4},     {"vocabulary", 128},
                                        {"classes", 10}};
  static constexpr SizeOption vit[] = {
      {"batch", 8}, {"layers", 2}, {"width", 64}, {"heads", 4}, {"classes", 10}};
  static constexpr Example examples[] = {
      {"bert", "bidirectional transformer with a classifier", bert, checkTransformer, buildBert},
      {"gpt", "transformer that predicts the next token", language, checkTransformer, buildGpt},
      {"gpt2", "gpt whose head is tied to its embedding table", language, checkTransformer,
       buildGpt2},
      {"gpt3", "the same in the size of GPT-3, its vocabulary rounded up to a multiple of 1024",
       gpt3, checkTransformer, buildGpt},
      {"llama", "the same with rotary embeddings, grouped heads and gated layers", llama,
       checkLlama, buildLlama},
      {"mlp", "three dense layers for handwritten digits", mlp, checkNothing, buildMlp},
      {"moe", "one layer of a mixture of experts", moe, checkNothing, buildMoe},
      {"resnet", "residual convolutional network", resnet, checkResnet, buildResnet},
      {"vit", "transformer on patches of images", vit, checkTransformer, buildVit},
      {"wide_deep", "wide and deep recommender", wideDeep, checkNothing, buildWideDeep},
  };
  return examples;
}

} // namespace pcc::example
