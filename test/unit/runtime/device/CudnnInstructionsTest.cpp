// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and attention by cuDNN graphs, on the emulated GPU with the emulated library.

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/library/CudnnGraph.h"
#include "runtime/device/cuda/library/CudnnInstructionGraphs.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/device/AttentionCases.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pcc::test {
namespace {

using namespace runtime;

/// Runs an instruction on a GPU whose code has no kernels for it, so the library must run it.
std::vector<float> runOnGpu(ProgramBuilder &builder, const abi::Instruction &instruction,
                            const BufferValues &values, uint32_t out, bool tf32 = false) {
  abi::Executable executable = forGpu(builder.executable);
  executable.mutable_gpu_code()->set_tf32(tf32);
  auto devices = makeCudaDevices(executable, 0, 1);
  EXPECT_TRUE(bool(devices)) << devices.status().describe();
  return runRecordOn(*(*devices)[0], builder, instruction, values, out, {});
}

/// A convolution with one tensor per operand.
struct ConvolutionCase {
  explicit ConvolutionCase(abi::Convolution::Kind kind, int64_t groups, bool isWhole) {
    abi::Convolution &c = *instruction.mutable_convolution();
    auto fill = [](auto *list, std::initializer_list<int64_t> numbers) {
      list->Add(numbers.begin(), numbers.end());
    };
    c.set_kind(kind);
    c.set_type(abi::F32);
    fill(c.mutable_input_shape(), {2, 4, 9, 7});
    fill(c.mutable_weight_shape(), {6, 4 / groups, 3, 2});
    fill(c.mutable_result_shape(), {2, 6, 4, 8});
    fill(c.mutable_strides(), {2, 1});
    fill(c.mutable_padding(), {1, 2, 1, 1});
    fill(c.mutable_dilations(), {2, 2});
    std::mt19937 random(1);
    add(c.mutable_input(), 2 * 4 * 9 * 7, random);
    add(c.mutable_weight(), 6 * 4 / groups * 3 * 2, random);
    add(c.mutable_result(), 2 * 6 * 4 * 8, random);
    out = kind == abi::Convolution::INPUT_GRADIENT    ? 0
          : kind == abi::Convolution::WEIGHT_GRADIENT ? 1
                                                      : 2;
    if (!isWhole)
      return;
    add(c.mutable_bias(), 6, random);
    c.set_activation(abi::RELU);
  }

  void add(abi::Operand *operand, int64_t count, std::mt19937 &random) {
    uint32_t buffer =
        builder.buffer("b" + std::to_string(values.size()), abi::PERSISTENT, abi::F32, {count});
    operand->set_buffer(buffer);
    values.push_back({buffer, randomFloats(random, count)});
  }

  ProgramBuilder builder{1};
  abi::Instruction instruction;
  BufferValues values;
  size_t out = 0;
};

/// Returns the greatest difference of two lists.
double differenceOf(const std::vector<float> &a, const std::vector<float> &b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::fmax(most, std::isnan(a[i] - b[i]) ? HUGE_VAL : std::abs(a[i] - b[i]));
  return most;
}

using abi::Convolution;
constexpr Convolution::Kind kinds[] = {Convolution::FORWARD, Convolution::INPUT_GRADIENT,
                                       Convolution::WEIGHT_GRADIENT};

TEST(CudnnInstructions, ConvolutionsAreThoseOfTheHost) {
  for (Convolution::Kind kind : kinds)
    for (int64_t groups : {1, 2})
      for (bool isWhole : {false, true}) {
        if (isWhole && kind != Convolution::FORWARD)
          continue;
        ConvolutionCase test(kind, groups, isWhole);
        uint32_t out = test.values[test.out].first;
        std::vector<float> host =
            runInstruction(test.builder, test.instruction, test.values, out, 1, {});
        EXPECT_LT(differenceOf(runOnGpu(test.builder, test.instruction, test.values, out), host),
                  1e-5)
            << kind << " " << groups << " " << isWhole;
      }
}

// The emulated heuristics list an engine that rounds before one that does not.
TEST(CudnnInstructions, OperandsAreRoundedOnlyWhereThatIsAskedFor) {
  for (Convolution::Kind kind : kinds) {
    ConvolutionCase test(kind, 1, false);
    uint32_t out = test.values[test.out].first;
    double difference =
        differenceOf(runOnGpu(test.builder, test.instruction, test.values, out, true),
                     runOnGpu(test.builder, test.instruction, test.values, out));
    EXPECT_GT(difference, 1e-4);
    EXPECT_LT(difference, 3e-2);
  }
}

// The report of a run's memory includes the workspace.
TEST(CudnnInstructions, TheDeviceCountsTheWorkspace) {
  ConvolutionCase test(Convolution::FORWARD, /*groups=*/1, /*isWhole=*/false);
  auto devices = makeCudaDevices(forGpu(test.builder.executable), 0, 1);
  ASSERT_TRUE(bool(devices)) << devices.status().describe();
  Device &device = *(*devices)[0];
  EXPECT_EQ(device.workspaceBytes(), 0u);
  runRecordOn(device, test.builder, test.instruction, test.values, test.values[test.out].first, {});
  EXPECT_GT(device.workspaceBytes(), 0u);
}

// Other attentions are left to kernels, which this code lacks. The softmax weights and the score
// gradients are rounded to the instruction's type before they are multiplied.
TEST(CudnnInstructions, AttentionThatIsExpressible) {
  std::mt19937 random(2);
  int expressible = 0;
  for (abi::ElementType type : {abi::F32, abi::F16, abi::BF16})
    for (const AttentionForm &form : attentionForms()) {
      SCOPED_TRACE(&form - attentionForms().data());
      bool isDone = true;
      RecordRunner runner = [&](ProgramBuilder &builder, const abi::Instruction &instruction,
                                const BufferValues &values, uint32_t out) {
        isDone = cuda::dnn::isExpressible(instruction.attention());
        return isDone ? runOnGpu(builder, instruction, values, out)
                      : runInstruction(builder, instruction, values, out, 1, {});
      };
      AttentionTensors tensors = makeAttention(random, form, type);
      checkAttention(form, tensors, type, /*roundings=*/2, runner);
      expressible += isDone;
      EXPECT_FALSE(isDone && type == abi::F32);
    }
  EXPECT_GE(expressible, 10);
}

// An engine that yields a plan, but no workspace size of it, is an engine without a plan.
TEST(CudnnPlan, APlanWithoutAWorkspaceSizeHasAReason) {
  using namespace cuda::dnn;
  static const Cudnn &real = *Cudnn::get();
  Cudnn library = real;
  library.getAttribute = [](DescriptorHandle descriptor, Attribute name, ValueType type,
                            int64_t requested, int64_t *count, void *elements) {
    return name == Attribute::PlanWorkspaceSize
               ? Result::BadParam
               : real.getAttribute(descriptor, name, type, requested, count, elements);
  };
  Handle handle = nullptr;
  ASSERT_EQ(library.create(&handle), Result::Success);
  ConvolutionCase test(abi::Convolution::FORWARD, /*groups=*/1, /*isWhole=*/false);
  auto plan = Plan::make({.library = library, .handle = handle},
                         convolutionGraph(library, test.instruction.convolution()),
                         /*isExact=*/true);
  EXPECT_FALSE(bool(plan));
  EXPECT_EQ(plan.status().message(), "cuDNN does not say how much workspace its plan needs");
  library.destroy(handle);
}

} // namespace
} // namespace pcc::test
