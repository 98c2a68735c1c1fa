// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/prediction/Systems.h"

#include <limits>

namespace pcc::conformance {

/// Devices of one kind run at the clock that power allows each. Over five clusters the times of
/// applications differ by 8 % (Sinha et al., "Not all GPUs are created equal", SC 2022), taken as
/// the reach of box plots without outliers, which is 5.4 standard deviations of normal numbers.
static constexpr double spreadOfDevices = 0.08 / 5.4;

/// The cross entropy is computed in f32, by a kernel of PyTorch for each operation
/// (mpu/cross_entropy.py); the optimizer walks over all parameters of a rank at once (Apex,
/// multi_tensor_apply).
static plan::PriceOptions everySystem() {
  plan::PriceOptions options;
  options.alone = options.wide = "^loss";
  options.updatesAtOnce = true;
  options.spread = spreadOfDevices;
  return options;
}

/// - `--fp16` (examples/sc21/CONFIG.sh), without `--accumulate-allreduce-grads-in-fp32`: gradients
///   are summed in f16, and only sums in f32 may be left to products (arguments.py).
/// - Sums are cleared (2 bytes) and divided (2 + 2), then reduced behind the backward pass in one
///   buffer (model/distributed.py).
/// - A stage waits for its messages (p2p_communication.py).
/// - Attention's products read queries, keys and values where the product before left them; what
///   is copied is their result and the gradients of all three (model/transformer.py). Its dropout
///   is a kernel of PyTorch between fused ones.
plan::PriceOptions megatronLm(const char *recompute) {
  plan::PriceOptions options = everySystem();
  options.precision = plan::Precision::f16();
  options.recompute = recompute;
  options.addsApart = true;
  options.sumBytes = 6;
  options.hidesReductions = options.hidesMessages = false;
  options.bucketBytes = std::numeric_limits<double>::infinity();
  options.apart = "/attn/core/dropout/";
  options.views = "/attn/(split$|core/einsum|core/transpose\\.grad)";
  return options;
}

/// Data parallelism is PyTorch's own (examples/sc21/run_table_1.sh, `DDP=torch`): gradients are
/// copied to buckets of 25 MiB (2 + 2), these reduced beside the backward pass, and copied back
/// (2 + 2).
plan::PriceOptions megatronLmInOneStage() {
  plan::PriceOptions options = megatronLm(blocks);
  options.addsApart = false;
  options.sumBytes = 8;
  options.hidesReductions = true;
  options.bucketBytes = 25 * (1 << 20);
  return options;
}

/// An input's gradient is reduced beside the product of the weight's (mpu/layers.py). Where
/// positions are split, what a product gathers is gathered again (Korthikanti et al., section
/// 4.2.2).
plan::PriceOptions megatronLmOf2022(const char *recompute) {
  plan::PriceOptions options = megatronLm(recompute);
  options.hidesInputGradients = options.gathersAgain = true;
  return options;
}

/// - bf16, whose gradients are summed and reduced in f32, the sums by products
///   (gradient_accumulation_fusion), cleared (4) and divided (4 + 4).
/// - `--overlap-grad-reduce --overlap-param-gather --tp-comm-overlap` (README.md), in buckets of
///   40,000,000 elements (`--ddp-bucket-size`).
/// - Attention reads and writes queries, keys, values and their gradients where they lie.
plan::PriceOptions megatronCore() {
  plan::PriceOptions options = everySystem();
  options.precision = plan::Precision::bf16();
  options.sumBytes = 12;
  options.hidesActivations = options.hidesInputGradients = options.gathersAgain = true;
  options.bucketBytes = 160e6;
  options.views = "/attn/(split|core/)";
  return options;
}

} // namespace pcc::conformance
