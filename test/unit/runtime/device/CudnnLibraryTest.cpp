// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests NVIDIA's own cuDNN if it is installed: it has the functions that pcc calls, and makes plans
// of pcc's graphs for described GPUs, an H100 and an A100. cuDNN compiles attention kernels for
// these GPUs, which a driver must load: test/emulator/LoadingDriver.c. Nothing is run.

#include "runtime/device/cuda/library/CudnnGraph.h"
#include "runtime/device/cuda/library/CudnnInstructionGraphs.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace pcc::test {
namespace {

using namespace runtime;
using namespace runtime::cuda::dnn;

/// The GPU properties that cuDNN reads, by its own names.
struct Gpu {
  const char *name;
  int version, processors, sharedBytes, cacheBytes;
};
constexpr Gpu gpus[] = {{"NVIDIA H100 80GB HBM3", 900, 132, 232448, 50 << 20},
                        {"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 40 << 20}};

std::string jsonOf(const Gpu &gpu) {
  return fmt::format(
      R"({{"deviceName":"{}","deviceVer":{},"multiProcessorCount":{},)"
      R"("maxSharedMemoryPerBlockOptin":{},"l2CacheSize":{},"maxGridSize":[2147483647,65535,65535],)"
      R"("maxBlockSize":[1024,1024,64],"regsPerBlock":65536,"warpSize":32,)"
      R"("maxSharedMemoryPerBlock":49152,"reservedSharedMemoryPerBlock":1024,)"
      R"("maxRegistersPerSM":65536,"maxCtasPerSM":32,"maxThreadsPerBlock":1024,)"
      R"("maxThreadsPerSM":2048,"driverVer":13000,"pciDeviceId":0,"isTccDriver":0,)"
      R"("supportCoopLaunch":1,"smClockRateKHz":1400000,"memClockRateKHz":1600000,)"
      R"("totalGlobalMem":85000000000,"cudaDeviceId":0}})",
      gpu.name, gpu.version, gpu.processors, gpu.sharedBytes, gpu.cacheBytes);
}

class CudnnLibrary : public testing::TestWithParam<Gpu> {
protected:
  void SetUp() override {
    if (!Cudnn::get())
      GTEST_SKIP() << Cudnn::get().status().message();
    if (Cudnn::get()->getVersion() < 91100)
      GTEST_SKIP() << "cuDNN before 9.11 does not read descriptions of GPUs";
  }

  /// Fails the test if there is no plan.
  void expectPlan(Graph graph, bool isExact, const std::string &what) {
    const Cudnn &library = *Cudnn::get();
    Descriptor device = describeDevice(library, jsonOf(GetParam()));
    ASSERT_TRUE(device.status().ok()) << device.status().message();
    auto plan = Plan::make({.library = library, .device = &device}, std::move(graph), isExact);
    EXPECT_TRUE(bool(plan)) << what << ": " << plan.status().message();
  }
};

TEST_P(CudnnLibrary, HasEveryFunction) {
  constexpr const char *names[] = {"libcudnn.so.9"};
  auto opened = SharedLibrary::open(names, "");
  ASSERT_TRUE(bool(opened));
  Cudnn library = {};
  for (const Symbol &row : Cudnn::table(library))
    EXPECT_NE(opened->address(row.name), nullptr) << row.name;
  Status status = Cudnn::get()->check(Cudnn::get()->finalize(nullptr), "call");
  EXPECT_EQ(status.message().substr(0, 23), "call: CUDNN_STATUS_BAD_") << status.message();
}

/// A convolution of ResNet-50 on images of 224 by 224, or one with groups.
struct Layer {
  int64_t channels, image, outputs, window, stride, padding, groups = 1;
};
constexpr Layer layers[] = {{3, 224, 64, 7, 2, 3},  {64, 56, 64, 3, 1, 1},
                            {64, 56, 256, 1, 1, 0}, {256, 56, 512, 1, 2, 0},
                            {512, 7, 512, 3, 1, 1}, {8, 16, 8, 3, 1, 1, 4}};

abi::Convolution convolutionOf(const Layer &layer, abi::ElementType type,
                               abi::Convolution::Kind kind, bool isWhole) {
  abi::Convolution c;
  auto fill = [](auto *list, std::initializer_list<int64_t> numbers) {
    list->Add(numbers.begin(), numbers.end());
  };
  int64_t result = (layer.image + 2 * layer.padding - layer.window) / layer.stride + 1;
  c.set_kind(kind);
  c.set_type(type);
  fill(c.mutable_input_shape(), {32, layer.channels, layer.image, layer.image});
  fill(c.mutable_weight_shape(),
       {layer.outputs, layer.channels / layer.groups, layer.window, layer.window});
  fill(c.mutable_result_shape(), {32, layer.outputs, result, result});
  fill(c.mutable_strides(), {layer.stride, layer.stride});
  fill(c.mutable_padding(), {layer.padding, layer.padding, layer.padding, layer.padding});
  fill(c.mutable_dilations(), {1, 1});
  if (isWhole) {
    c.mutable_bias();
    c.set_activation(abi::RELU);
  }
  return c;
}

TEST_P(CudnnLibrary, PlansConvolutions) {
  using abi::Convolution;
  for (abi::ElementType type : {abi::F32, abi::F16, abi::BF16})
    for (const Layer &layer : layers)
      for (auto [kind, isWhole] : {std::pair(Convolution::FORWARD, false),
                                   {Convolution::FORWARD, true},
                                   {Convolution::INPUT_GRADIENT, false},
                                   {Convolution::WEIGHT_GRADIENT, false}})
        for (bool isExact : {false, true}) {
          if (isExact && type != abi::F32)
            continue;
          Convolution c = convolutionOf(layer, type, kind, isWhole);
          expectPlan(convolutionGraph(*Cudnn::get(), c), isExact, c.ShortDebugString());
        }
}

// Padding on one side only, and dilated windows.
TEST_P(CudnnLibrary, PlansWindowsOfAnyForm) {
  abi::Convolution c =
      convolutionOf({8, 16, 8, 3, 1, 1}, abi::F32, abi::Convolution::FORWARD, false);
  c.set_padding(2, 2);
  c.set_padding(3, 2);
  c.set_dilations(0, 2);
  c.set_result_shape(2, 15);
  c.set_result_shape(3, 17);
  expectPlan(convolutionGraph(*Cudnn::get(), c), true, c.ShortDebugString());
}

/// Sizes of an attention; `mask` as in the instruction.
struct Form {
  int64_t batch, heads, groups, positions, keyPositions, width;
  bool causal;
  std::vector<int64_t> mask = {};
};
const Form forms[] = {{8, 16, 16, 2048, 2048, 64, true},
                      {4, 32, 8, 32, 64, 128, true},
                      {8, 16, 16, 512, 512, 64, false, {8, 1, 1, 512}},
                      {2, 4, 4, 17, 17, 16, false},
                      {8, 16, 16, 1024, 1024, 128, false},
                      {8, 16, 16, 512, 512, 64, true, {1, 16, 512, 512}}};

// Kernels take half a second each to compile. Without PCC_TEST_FULL, only half of the forms are
// tested, in bf16.
TEST_P(CudnnLibrary, PlansAttention) {
  bool isFull = std::getenv("PCC_TEST_FULL");
  std::vector<abi::ElementType> types = {abi::BF16};
  if (isFull)
    types.push_back(abi::F16);
  for (abi::ElementType type : types)
    for (const Form &form : std::span(forms).first(isFull ? std::size(forms) : 3))
      for (auto [isGradient, positionsFirst] :
           {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
        abi::Attention a;
        a.set_type(type);
        a.set_batch(form.batch);
        a.set_heads(form.heads);
        a.set_groups(form.groups);
        a.set_positions(form.positions);
        a.set_key_positions(form.keyPositions);
        a.set_width(form.width);
        a.set_depth(form.width);
        a.set_causal(form.causal);
        a.set_positions_first(positionsFirst);
        if (!form.mask.empty())
          a.mutable_mask();
        a.mutable_mask_shape()->Add(form.mask.begin(), form.mask.end());
        if (isGradient)
          a.mutable_gradients();
        EXPECT_TRUE(isExpressible(a));
        expectPlan(attentionGraph(*Cudnn::get(), a), false, a.ShortDebugString());
      }
}

std::string shortName(const testing::TestParamInfo<Gpu> &info) {
  return fmt::format("sm_{}", info.param.version / 10);
}
INSTANTIATE_TEST_SUITE_P(Gpus, CudnnLibrary, testing::ValuesIn(gpus), shortName);

} // namespace
} // namespace pcc::test
