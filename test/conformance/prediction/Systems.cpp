// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/prediction/Systems.h"

#include <limits>

namespace pcc::conformance {

/// Relative spread of device speed. Devices of one kind run at the clock that each one's power
/// limit allows. Over five clusters the times of applications differ by 8 % (Sinha et al., "Not all
/// GPUs are created equal", SC 2022). The 8 % are taken as the range of a box plot without
/// outliers: 5.4 standard deviations of a normal distribution.
static constexpr double spreadOfDevices = 0.08 / 5.4;

/// Cross entropy in f32, one PyTorch kernel for each operation (mpu/cross_entropy.py); bytes per
/// element in parentheses. Forward: logits are widened (2 + 4), their maximum is taken (4) and
/// subtracted (8); exponentials (8), their sum (4), quotients (8). Backward: the quotients are
/// scaled (8) and narrowed (4 + 2).
static const std::vector<KnownKernel> crossEntropy = {{"^loss$", 38}, {"^loss\\.grad", 14}};

/// Kernels of a block that follow its matmuls. PyTorch's JIT compiler fuses a bias with the ops
/// after it: gelu (fused_bias_gelu.py), or dropout and the residual (transformer.py,
/// bias_dropout_add). The gradient of a bias, and the sum of two gradients of a residual, are
/// kernels of autograd.
static const std::vector<KnownKernel> betweenProducts = {
    {"^(/h\\.[0-9]+/)(fc/add|gelu)$", 2 + 2},
    {"^(/h\\.[0-9]+/)gelu\\.grad", 2 + 2 + 2},
    {"^(/h\\.[0-9]+/(attn/proj|fc|out)/)broadcast\\.grad", 2},
    {"^(/h\\.[0-9]+/add(_1)?)\\.grad_sum", 2 + 2 + 2},
};

/// Dropout writes a mask of one byte an element; the bias of queries, keys and values is added in
/// place.
static const std::vector<KnownKernel> withDropout = {
    {"/(rng_uniform|compare)$", 0}, // part of the kernels that drop and mask
    {"^(/h\\.[0-9]+/)(attn/proj/add|dropout/[a-z_]+|add)$", 2 + 2 + 2 + 1},
    {"^(/h\\.[0-9]+/)(out/add|dropout/[a-z_]+_1|add_1)$", 2 + 2 + 2 + 1},
    {"^(/h\\.[0-9]+/)dropout/[a-z]+\\.grad", 2 + 1 + 2},
    {"^(/h\\.[0-9]+/)dropout/[a-z]+_1\\.grad", 2 + 1 + 2},
    {"^/h\\.[0-9]+/attn/qkv/add$", 2 + 2},
    {"^(/h\\.[0-9]+/attn/qkv/)broadcast\\.grad", 2},
};

/// Kernels between attention's matmuls: the causal softmax
/// (fused_kernels/scaled_upper_triang_masked_softmax.h), which reads half of the bytes that it
/// writes, and PyTorch's dropout.
/// Rates are from Dao et al., "FlashAttention", 2022, tables 12 to 19: 16 times 8 heads of 64 and
/// 2,048 positions, f16, A100 with memory of 1.555 TB/s. Dropout takes 6.56 - 4.32 ms forward, 5
/// bytes an element; backward it runs at the speed of memory.
/// The time of Megatron's masked softmax is the rest after the cost of the matmuls. Of 5.80 ms
/// forward 3.77 ms remain (5 bytes, with the mask's). Of 6.49 ms backward 2.78 ms remain (6 bytes).
/// A kernel slower than this memory is no faster on faster memory.
static const std::vector<KnownKernel> attentionInPieces = {
    {"^(/h\\.[0-9]+/attn/core/)(mul|select|softmax)$", 1 + 2, 712e9},
    {"^(/h\\.[0-9]+/attn/core/)(mul|select|softmax)\\.grad", 1 + 1 + 2, 1159e9},
    {"^(/h\\.[0-9]+/attn/core/dropout/)[a-z_]+$", 2 + 2 + 1, 1198e9},
    {"^(/h\\.[0-9]+/attn/core/dropout/)[a-z]+\\.grad", 2 + 1 + 2},
};

static constexpr const char *normForward = "^(/.*ln(1|2|_f)/)layer_norm$";
static constexpr const char *normBackward = "^(/.*ln(1|2|_f)/)layer_norm\\.grad";

/// Layer norm kernels of Apex, of which fused_kernels/layer_norm_cuda_kernel.cu is a copy, and
/// Apex's newer ones (model/fused_layer_norm.py, FastLayerNormFN). Rates are from NVIDIA/apex, pull
/// request 1037, on GA100, which counts 2 + 2 bytes forward and 2 + 2 + 2 backward. The older
/// kernels read all data twice backward.
static const std::vector<KnownKernel> layerNormOf2021 = {{normForward, 4, 895.8e9},
                                                         {normBackward, 6, 572.2e9}};
static const std::vector<KnownKernel> layerNormOf2022 = {{normForward, 4, 1258.0e9},
                                                         {normBackward, 6, 1163.4e9}};
/// Transformer Engine's kernels read and write once.
static const std::vector<KnownKernel> layerNormOf2024 = {{normForward, 4}, {normBackward, 6}};

/// Attention of cuDNN, which Transformer Engine prefers on sm90: 518 Tflop/s forward, 499 Tflop/s
/// backward. The rates are for heads of 128 and 4,096 positions, and count half of the causal
/// matmuls. Source: Shah et al., "FlashAttention-3", 2024, figures 5 and 6, on H100; the backward
/// pass without a mask.
static const std::vector<KnownKernel> cudnnAttention = {
    {"/attn/core/attention$", 0, 0, 518e12}, {"/attn/core/attention\\.grad$", 0, 0, 499e12}};

plan::CostOptions System::costOptions() const {
  plan::CostOptions whole = options;
  whole.system.kernelsOf = [this](mlir::func::FuncOp function, const abi::DeviceFigures &device) {
    return listKernels(kernels, function, device);
  };
  return whole;
}

static void addKernels(System &system, const std::vector<KnownKernel> &kernels) {
  llvm::append_range(system.kernels.known, kernels);
}

/// Returns what all systems have in common. The optimizer updates all parameters of a rank in one
/// kernel (Apex, multi_tensor_apply).
static System everySystem() {
  System system;
  addKernels(system, crossEntropy);
  addKernels(system, betweenProducts);
  system.options.system.updatesAtOnce = true;
  system.options.system.spread = spreadOfDevices;
  return system;
}

/// Kernels without dropout. The bias of queries, keys and values is added by their matmul, and the
/// matmul of their gradients sums the bias's gradient (Transformer Engine, LayerNormLinear).
static const std::vector<KnownKernel> withoutDropout = {
    {"^(/h\\.[0-9]+/)(attn/proj/add|add)$", 2 + 2 + 2},
    {"^(/h\\.[0-9]+/)(out/add|add_1)$", 2 + 2 + 2},
    {"^/h\\.[0-9]+/attn/qkv/(add$|broadcast\\.grad)", 0},
};

/// Megatron-LM of 2021 and 2022:
/// - `--fp16` (examples/sc21/CONFIG.sh), without `--accumulate-allreduce-grads-in-fp32`: gradients
///   are summed in f16, and only sums in f32 may be done by matmuls (arguments.py).
/// - Sums are cleared (2 bytes) and divided (2 + 2), then reduced after the backward pass in one
///   buffer (model/distributed.py).
/// - A stage waits for its messages (p2p_communication.py).
/// - Attention's matmuls read queries, keys and values where the projection left them. Their result
///   and the gradients of all three are copied (model/transformer.py).
static System megatronLmOnA100(const char *recompute) {
  System system = everySystem();
  addKernels(system, withDropout);
  addKernels(system, attentionInPieces);
  system.options.precision = plan::Precision::f16();
  system.options.recompute = recompute;
  system.options.system.addsApart = true;
  system.options.system.sumBytes = 6;
  system.options.hidesReductions = system.options.system.hidesMessages = false;
  system.options.bucketBytes = std::numeric_limits<double>::infinity();
  system.kernels.views = "/attn/(split$|core/einsum|core/transpose\\.grad)";
  return system;
}

System megatronLm(const char *recompute) {
  System system = megatronLmOnA100(recompute);
  addKernels(system, layerNormOf2021);
  return system;
}

/// Data parallelism is PyTorch's own (examples/sc21/run_table_1.sh, `DDP=torch`). Gradients are
/// copied to buckets of 25 MiB (2 + 2). The buckets are reduced concurrently with the backward pass
/// and copied back (2 + 2).
System megatronLmInOneStage() {
  System system = megatronLm(blocks);
  system.options.system.addsApart = false;
  system.options.system.sumBytes = 8;
  system.options.hidesReductions = true;
  system.options.bucketBytes = 25 * (1 << 20);
  return system;
}

/// The gradient of an input is reduced concurrently with the matmul of the weight's gradient
/// (mpu/layers.py). If positions are split, the gathered operand of a matmul is gathered again in
/// the backward pass (Korthikanti et al., section 4.2.2).
System megatronLmOf2022(const char *recompute) {
  System system = megatronLmOnA100(recompute);
  addKernels(system, layerNormOf2022);
  system.options.system.hidesInputGradients = system.options.system.gathersAgain = true;
  return system;
}

/// Megatron-Core of 2024:
/// - bf16; gradients are summed and reduced in f32, the sums by matmuls
///   (gradient_accumulation_fusion), cleared (4) and divided (4 + 4).
/// - `--overlap-grad-reduce --overlap-param-gather --tp-comm-overlap` (README.md), in buckets of
///   40,000,000 elements (`--ddp-bucket-size`), which the stages launch at the same time
///   (`delay_grad_reduce`; core/pipeline_parallel/schedules.py). During matmuls 16 units move
///   activations (Transformer Engine, pytorch/module/base.py, initialize_ub).
/// - Attention reads and writes queries, keys, values and their gradients in place.
System megatronCore() {
  System system = everySystem();
  addKernels(system, withoutDropout);
  addKernels(system, layerNormOf2024);
  addKernels(system, cudnnAttention);
  system.options.precision = plan::Precision::bf16();
  system.options.system.sumBytes = 12;
  system.options.hidesActivations = system.options.system.hidesInputGradients =
      system.options.system.gathersAgain = true;
  system.options.system.activationUnits = 16;
  system.options.system.alignsReductions = true;
  system.options.bucketBytes = 160e6;
  system.kernels.views = "/attn/(split|core/)";
  return system;
}

System inChunks(System system, int chunks) {
  system.options.system.hidesMessages &= chunks > 1;
  return system;
}

} // namespace pcc::conformance
