// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of instructions, computed by hand.
#include "runtime/machine/InstructionCost.h"
#include "runtime/machine/Cluster.h"

#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

/// A launch takes 1 s, a byte 1/100 s, an operation of a matmul 1/1000 s, any other operation 1/10
/// s.
abi::DeviceFigures testDevice() {
  abi::DeviceFigures device = parseForm("1xcpu")->device();
  device.mutable_launch_seconds()->set_value(1);
  device.mutable_memory_bytes_per_second()->set_value(100);
  device.clear_memory_reached_share();
  device.clear_matmul();
  for (abi::ComputeRate &rate : *device.mutable_rate())
    rate.mutable_flops_per_second()->set_value(rate.compute_class() == abi::CONTRACTION ? 1000
                                                                                        : 10);
  return device;
}

class RecordPrice : public testing::Test {
protected:
  RecordPrice() : program(*executable.add_programs()) {
    for (int i = 0; i < 3; ++i) {
      abi::Buffer &buffer = *program.mutable_memory()->add_buffers();
      buffer.set_space(abi::TEMPORARY);
      buffer.set_bytes(400);
    }
  }

  double price(bool isFirst = false) const {
    return estimateInstructionCost(testDevice(), executable, program, instruction, isFirst);
  }
  double bytes(bool isFirst = false) const {
    return movedBytes(executable, program, instruction, isFirst);
  }

  abi::Executable executable;
  abi::Program &program;
  abi::Instruction instruction;
};

TEST_F(RecordPrice, AProductIsBoundByArithmeticOrByMemory) {
  abi::Matmul &matmul = *instruction.mutable_matmul();
  matmul.set_batch(1);
  matmul.set_m(10);
  matmul.set_n(5);
  matmul.set_k(100);
  matmul.set_type(abi::F32);
  matmul.set_result_type(abi::F32);
  double moved = 4 * (10 * 100 + 100 * 5 + 10 * 5);
  EXPECT_EQ(bytes(), moved);
  EXPECT_DOUBLE_EQ(price(), 1 + moved / 100);
  matmul.set_m(1000);
  matmul.set_n(1000);
  EXPECT_DOUBLE_EQ(price(), 1 + 2e8 / 1000);
}

TEST_F(RecordPrice, WhatIsAddedToIsReadAfterTheFirstSlot) {
  abi::Accumulate &accumulate = *instruction.mutable_accumulate();
  accumulate.set_count(50);
  accumulate.set_source_type(abi::F32);
  accumulate.set_accumulation(abi::ADD_AFTER_FIRST);
  EXPECT_EQ(bytes(/*isFirst=*/true), 200 + 200);
  EXPECT_EQ(bytes(), 200 + 2 * 200);
  EXPECT_DOUBLE_EQ(price(), 1 + 6);
}

TEST_F(RecordPrice, ALaunchComputesWhatWasCounted) {
  abi::Launch &launch = *instruction.mutable_launch();
  for (auto [buffer, access] : {std::pair(0, abi::READ), {1, abi::READ_WRITE}, {2, abi::WRITE}}) {
    abi::Operand &operand = *launch.add_operands();
    operand.set_buffer(uint32_t(buffer));
    operand.set_access(access);
    operand.set_bytes(100);
  }
  EXPECT_DOUBLE_EQ(price(), 1 + 4);
  launch.set_elementwise_flops(30);
  launch.set_reduction_flops(20);
  EXPECT_DOUBLE_EQ(price(), 1 + 5);
  launch.set_contraction_flops(2000);
  EXPECT_DOUBLE_EQ(price(), 1 + 7);
  launch.clear_contraction_flops();
  launch.clear_elementwise_flops();
  launch.set_untouched_bytes(60);
  EXPECT_EQ(bytes(), 400 - 60);
  EXPECT_DOUBLE_EQ(price(), 1 + 3.4);
}

TEST_F(RecordPrice, ProductsOfConvolutionsAndAttention) {
  abi::Convolution &c = *instruction.mutable_convolution();
  for (int64_t extent : {2, 6, 9, 9})
    c.add_input_shape(extent);
  for (int64_t extent : {4, 3, 5, 5}) // two groups
    c.add_weight_shape(extent);
  for (int64_t extent : {2, 4, 5, 5})
    c.add_result_shape(extent);
  double flops = 2.0 * (2 * 5 * 5) * 4 * (3 * 5 * 5);
  c.set_kind(abi::Convolution::FORWARD);
  EXPECT_EQ(matmulsOf(instruction)[0].flops(), flops);
  c.set_kind(abi::Convolution::WEIGHT_GRADIENT);
  EXPECT_EQ(matmulsOf(instruction)[0].flops(), flops);
  c.set_kind(abi::Convolution::INPUT_GRADIENT);
  EXPECT_EQ(matmulsOf(instruction)[0].flops(), flops);

  abi::Attention &a = *instruction.mutable_attention();
  a.set_batch(2);
  a.set_heads(4);
  a.set_groups(4);
  a.set_positions(8);
  a.set_key_positions(16);
  a.set_width(32);
  a.set_depth(64);
  a.set_type(abi::F32);
  std::vector<MatmulSize> matmuls = matmulsOf(instruction);
  ASSERT_EQ(matmuls.size(), 2u);
  EXPECT_EQ(matmuls[0].flops() + matmuls[1].flops(), 2.0 * 8 * 8 * 16 * (32 + 64));
  a.set_causal(true);
  EXPECT_EQ(matmulsOf(instruction)[1].flops(), 2.0 * 8 * 8 * 16 * 64 * 3 / 4);
  a.set_key_positions(8);
  EXPECT_EQ(matmulsOf(instruction)[1].flops(), 2.0 * 8 * 8 * 8 * 64 / 2);
  a.set_key_positions(4);
  EXPECT_EQ(matmulsOf(instruction)[1].flops(), 2.0 * 8 * 8 * 4 * 64 / 4);
  a.mutable_gradients();
  EXPECT_EQ(matmulsOf(instruction).size(), 5u);
}

} // namespace
} // namespace pcc::machine
