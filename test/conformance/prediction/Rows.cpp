// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/prediction/Rows.h"

namespace pcc::conformance {

/// All forward ops of the blocks, or those between queries and context.
static const char *const blocks = "^/h\\.";
static const char *const attentionCore = "/attn/core/";
/// A kernel of PyTorch between those that Megatron-LM fuses.
static const char *const attentionDropout = "/attn/core/dropout/";

/// Megatron computes the cross entropy in f32, by a kernel of PyTorch for each operation.
static const char *const loss = "^loss";

static plan::PriceOptions megatron(const char *recompute) {
  plan::PriceOptions options;
  options.precision = plan::Precision::f16();
  options.recompute = recompute;
  options.hidesReductions = false;
  options.bucketBytes = 1e12; // one buffer of all gradients
  options.apart = attentionDropout;
  options.alone = options.wide = loss;
  return options;
}

static plan::PriceOptions megatronCore() {
  plan::PriceOptions options;
  options.precision = plan::Precision::bf16();
  options.alone = options.wide = loss;
  options.hidesReductions = true;
  options.hidesActivations = true;
  options.bucketBytes = 160e6; // 40,000,000 elements of f32: --ddp-bucket-size
  return options;
}

static GptShape gptA(int64_t layers, int64_t width, int64_t heads, int64_t batch) {
  return {layers, width, heads, 2048, 51200, batch, 0.1};
}

static GptShape gptB(int64_t layers, int64_t width, int64_t heads, int64_t batch) {
  return {layers, width, heads, 4096, 131072, batch, 0, /*hasFusedAttention=*/true};
}

static Row makeRow(std::string name, GptShape shape, const char *cluster, int64_t dataParallel,
                   int64_t tensorParallel, plan::PriceOptions price, double seconds) {
  return {std::move(name), shape, cluster, dataParallel,     tensorParallel,
          /*slots=*/1,     false, false,   std::move(price), seconds};
}

/// A row of Megatron-Core, which shards its optimizer and splits positions wherever it splits
/// tensors. Its table does not tell the microbatch: one sequence, as its largest models must have.
static Row makeRowB(std::string name, GptShape shape, const char *cluster, int64_t dataParallel,
                    int64_t tensorParallel, double seconds) {
  Row row = makeRow(std::move(name), shape, cluster, dataParallel, tensorParallel, megatronCore(),
                    seconds);
  row.splitsPositions = tensorParallel > 1;
  row.shardsOptimizer = true;
  row.slots = shape.batch / dataParallel;
  return row;
}

std::vector<Row> listRows() {
  std::vector<Row> rows = {
      makeRow("A 1.7B", gptA(24, 2304, 24, 512), "4x8xA100", 32, 1, megatron(blocks), 3.53),
      makeRow("A 7.5B", gptA(36, 4096, 32, 512), "16x8xA100", 32, 4, megatron(blocks), 3.70),
      makeRowB("B 1.7B", gptB(24, 2048, 16, 192), "6x8xH100", 48, 1, 0.45),
      makeRowB("B 16B", gptB(32, 6144, 48, 192), "24x8xH100", 48, 4, 0.85),
      makeRow("C 22B full", gptA(48, 6144, 64, 4), "1x8xA100", 1, 8, megatron(blocks), 1.42),
      makeRow("C 22B selective", gptA(48, 6144, 64, 4), "1x8xA100", 1, 8, megatron(attentionCore),
              1.10)};
  rows.back().splitsPositions = true;
  return rows;
}

} // namespace pcc::conformance
