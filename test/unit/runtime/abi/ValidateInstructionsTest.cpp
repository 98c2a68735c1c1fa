// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors in the instructions of a program.

#include "test/unit/runtime/abi/BrokenPrograms.h"

#include <limits>

namespace pcc::test {
namespace {

/// Makes the first instruction a convolution of one by one elements. It reads the input's buffer
/// and writes the buffer of the instruction's result.
abi::Convolution &convolution(Executable &e) {
  uint32_t result = instruction(e, 0, 0).matmul().c().buffer();
  abi::Convolution &c = *instruction(e, 0, 0).mutable_convolution();
  c.set_kind(abi::Convolution::FORWARD);
  c.set_type(abi::F32);
  auto fill = [](auto *list, std::initializer_list<int64_t> values) {
    list->Add(values.begin(), values.end());
  };
  fill(c.mutable_input_shape(), {1, 1, 2, 5});
  fill(c.mutable_weight_shape(), {1, 1, 1, 1});
  fill(c.mutable_result_shape(), {1, 1, 2, 5});
  fill(c.mutable_strides(), {1, 1});
  fill(c.mutable_padding(), {0, 0, 0, 0});
  fill(c.mutable_dilations(), {1, 1});
  c.mutable_result()->set_buffer(result);
  return c;
}

/// Makes the second instruction of the update a copy of the first one, fused with it.
abi::Instruction &fuse(Executable &e) {
  instruction(e, 2, 1) = instruction(e, 2, 0);
  instruction(e, 2, 1).mutable_collective()->set_fused(true);
  return instruction(e, 2, 1);
}

/// Makes the first instruction an attention of one head, one position and one element. It reads the
/// input's buffer and writes the buffer of the instruction's result.
abi::Attention &attention(Executable &e) {
  abi::Operand result = instruction(e, 0, 0).matmul().c();
  abi::Attention &a = *instruction(e, 0, 0).mutable_attention();
  for (auto set :
       {&abi::Attention::set_batch, &abi::Attention::set_heads, &abi::Attention::set_groups,
        &abi::Attention::set_positions, &abi::Attention::set_key_positions,
        &abi::Attention::set_width, &abi::Attention::set_depth})
    (a.*set)(1);
  a.set_type(abi::F32);
  a.set_scale(1.0);
  *a.mutable_result() = result;
  *a.mutable_log_sum() = result;
  a.mutable_log_sum()->set_offset(result.offset() + 64);
  return a;
}

const Break breaks[] = {
    {"record_kind", [](Executable &e) { instruction(e, 0, 0).clear_matmul(); },
     "programs[0].sections[0].instructions[0]: expected a kind of instruction"},
    {"matmul_extent", [](Executable &e) { instruction(e, 0, 0).mutable_matmul()->set_k(-1); },
     "programs[0].sections[0].instructions[0].matmul: expected extents from 1 on, got batch 1, m "
     "2, n "
     "5, "
     "k -1"},
    {"matmul_operand", [](Executable &e) { instruction(e, 0, 0).mutable_matmul()->set_k(7); },
     "programs[0].sections[0].instructions[0].matmul.a: expected 56 bytes from 0 on within the 48 "
     "bytes "
     "of "
     "'image'"},
    {"matmul_writes_input",
     [](Executable &e) { instruction(e, 0, 0).mutable_matmul()->mutable_c()->set_buffer(0); },
     "programs[0].sections[0].instructions[0].matmul.c: expected a buffer that may be written, got "
     "'image' "
     "in the space INPUT"},
    {"matmul_overlap",
     [](Executable &e) {
       abi::Matmul &matmul = *instruction(e, 0, 1).mutable_matmul();
       *matmul.mutable_c() = matmul.a();
     },
     "programs[0].sections[0].instructions[1].matmul: 'h0' and 'h0' overlap"},
    {"copy_overlap",
     [](Executable &e) {
       abi::Operand source = instruction(e, 0, 1).matmul().a();
       abi::Copy &copy = *instruction(e, 0, 1).mutable_copy();
       *copy.mutable_source() = *copy.mutable_destination() = source;
       copy.mutable_destination()->set_offset(source.offset() + 4);
       copy.set_bytes(8);
     },
     "programs[0].sections[0].instructions[1].copy: 'h0' and 'h0' overlap"},
    {"matmul_gelu_gradient",
     [](Executable &e) {
       instruction(e, 0, 0).mutable_matmul()->set_activation(abi::GELU_GRADIENT);
     },
     "programs[0].sections[0].instructions[0].matmul: expected a gradient of gelu to have what was "
     "pre_activation "
     "and no bias"},
    {"matmul_kept",
     [](Executable &e) {
       abi::Matmul &matmul = *instruction(e, 0, 0).mutable_matmul();
       *matmul.mutable_pre_activation() = matmul.c();
     },
     "programs[0].sections[0].instructions[0].matmul: pre_activation: expected it beside gelu or "
     "its gradient, in "
     "a matmul that overwrites"},
    {"matmul_kept_overlap",
     [](Executable &e) {
       abi::Matmul &matmul = *instruction(e, 0, 0).mutable_matmul();
       matmul.set_activation(abi::GELU);
       *matmul.mutable_pre_activation() = matmul.c();
     },
     "programs[0].sections[0].instructions[0].matmul: 'h0' and 'h0' overlap"},
    {"matmul_sums",
     [](Executable &e) {
       abi::Matmul &matmul = *instruction(e, 0, 0).mutable_matmul();
       *matmul.mutable_sum_of_a() = *matmul.mutable_sum_of_b() = matmul.c();
     },
     "programs[0].sections[0].instructions[0].matmul: expected one sum of an operand, of a matmul "
     "without bias, activation and shared operand"},
    {"convolution_kind", [](Executable &e) { convolution(e).clear_kind(); },
     "programs[0].sections[0].instructions[0].convolution: kind: expected a kind, got 0"},
    {"convolution_rank", [](Executable &e) { convolution(e).add_input_shape(1); },
     "programs[0].sections[0].instructions[0].convolution: expected shapes of 4 sizes from 1 on"},
    {"convolution_stride", [](Executable &e) { convolution(e).set_strides(1, 0); },
     "programs[0].sections[0].instructions[0].convolution: expected 2 strides and dilations from 1 "
     "on "
     "and 4 paddings from 0 on"},
    {"convolution_type", [](Executable &e) { convolution(e).set_type(abi::I64); },
     "programs[0].sections[0].instructions[0].convolution: type: expected f32, f16 or bf16, "
     "got "
     "i64"},
    {"convolution_shapes", [](Executable &e) { convolution(e).set_result_shape(3, 4); },
     "programs[0].sections[0].instructions[0].convolution: expected the shapes of a convolution "
     "with "
     "its "
     "windows"},
    {"convolution_gelu", [](Executable &e) { convolution(e).set_activation(abi::GELU); },
     "programs[0].sections[0].instructions[0].convolution: activation: expected none or relu, got "
     "2"},
    {"convolution_gradient_of_relu",
     [](Executable &e) {
       abi::Convolution &c = convolution(e);
       c.set_kind(abi::Convolution::INPUT_GRADIENT);
       c.set_activation(abi::RELU);
     },
     "programs[0].sections[0].instructions[0].convolution: expected no bias and no activation in a "
     "gradient"},
    {"convolution_writes_input",
     [](Executable &e) { convolution(e).set_kind(abi::Convolution::INPUT_GRADIENT); },
     "programs[0].sections[0].instructions[0].convolution.input: expected a buffer that may be "
     "written, "
     "got 'image' in the space INPUT"},
    {"convolution_overlap",
     [](Executable &e) {
       abi::Convolution &c = convolution(e);
       *c.mutable_input() = c.result();
     },
     "programs[0].sections[0].instructions[0].convolution: 'h0' and 'h0' overlap"},
    {"attention_groups",
     [](Executable &e) {
       abi::Attention &a = attention(e);
       a.set_heads(3);
       a.set_groups(2);
     },
     "programs[0].sections[0].instructions[0].attention: expected sizes from 1 on and groups that "
     "divide "
     "the heads, got 2 of 3"},
    {"attention_size", [](Executable &e) { attention(e).set_width(0); },
     "programs[0].sections[0].instructions[0].attention: expected sizes from 1 on and groups that "
     "divide "
     "the heads, got 1 of 1"},
    {"attention_type", [](Executable &e) { attention(e).set_type(abi::I64); },
     "programs[0].sections[0].instructions[0].attention: type: expected f32, f16 or bf16, got i64"},
    {"attention_scale",
     [](Executable &e) { attention(e).set_scale(std::numeric_limits<double>::infinity()); },
     "programs[0].sections[0].instructions[0].attention: scale: expected a finite number"},
    {"attention_mask",
     [](Executable &e) {
       abi::Attention &a = attention(e);
       a.mutable_mask();
       for (int64_t size : {1, 1, 2, 1})
         a.add_mask_shape(size);
     },
     "programs[0].sections[0].instructions[0].attention: mask_shape: expected 4 sizes of 1 or of "
     "the "
     "scores beside a mask"},
    {"attention_mask_missing", [](Executable &e) { attention(e).add_mask_shape(1); },
     "programs[0].sections[0].instructions[0].attention: mask_shape: expected 4 sizes of 1 or of "
     "the "
     "scores beside a mask"},
    {"attention_overlap",
     [](Executable &e) {
       abi::Attention &a = attention(e);
       *a.mutable_log_sum() = a.result();
     },
     "programs[0].sections[0].instructions[0].attention: 'h0' and 'h0' overlap"},
    {"attention_writes_input",
     [](Executable &e) {
       abi::Attention &a = attention(e);
       *a.mutable_log_sum() = a.result();
       *a.mutable_gradients()->mutable_result() = a.result();
       *a.mutable_gradients()->mutable_key() = a.result();
       *a.mutable_gradients()->mutable_value() = a.result();
     },
     "programs[0].sections[0].instructions[0].attention.gradients.query: expected a buffer that "
     "may be "
     "written, got 'image' in the space INPUT"},
    {"launch_kernel", [](Executable &e) { instruction(e, 1, 2).mutable_launch()->set_kernel(77); },
     "programs[0].sections[1].instructions[2].launch: kernel: expected an index below 6, got 77"},
    {"scalar_axis",
     [](Executable &e) {
       instruction(e, 1, 2)
           .mutable_launch()
           ->mutable_scalars(0)
           ->mutable_expression()
           ->add_terms()
           ->set_axis(1);
     },
     "programs[0].sections[1].instructions[2].launch.scalars[0]: expected an axis below 1 and a "
     "stride "
     "in "
     "range, got 1 and 0"},
    {"scalar_table",
     [](Executable &e) {
       instruction(e, 1, 2).mutable_launch()->mutable_scalars(0)->mutable_expression()->add_table(
           1);
     },
     "programs[0].sections[1].instructions[2].launch.scalars[0]: expected a table of 2 entries, "
     "got 1"},
    {"collective_kind",
     [](Executable &e) {
       instruction(e, 2, 0).mutable_collective()->set_kind(abi::CollectiveKind(99));
     },
     "programs[0].sections[2].instructions[0].collective: kind: expected a kind, got 99"},
    {"collective_group",
     [](Executable &e) { instruction(e, 2, 0).mutable_collective()->set_group(4); },
     "programs[0].sections[2].instructions[0].collective: group: expected an index below 1, got 4"},
    {"collective_room",
     [](Executable &e) { instruction(e, 2, 0).mutable_collective()->set_shape(0, 500); },
     "programs[0].sections[2].instructions[0].collective.source: expected 12000 bytes from 0 on "
     "within "
     "the "
     "120 bytes of 'w0.grad'"},
    {"scatter_divides",
     [](Executable &e) {
       instruction(e, 2, 0).mutable_collective()->set_kind(abi::REDUCE_SCATTER);
     },
     "programs[0].sections[2].instructions[0].collective: axis: expected an extent that 2 divides, "
     "got "
     "5"},
    {"broadcast_root",
     [](Executable &e) {
       abi::Collective &collective = *instruction(e, 2, 0).mutable_collective();
       collective.set_kind(abi::BROADCAST);
       collective.mutable_root()->set_constant(2);
     },
     "programs[0].sections[2].instructions[0].collective.root: expected a position below 2, got 2"},
    {"peer_is_self",
     [](Executable &e) { instruction(e, 2, 0).mutable_collective()->set_kind(abi::SEND); },
     "programs[0].sections[2].instructions[0].collective.peer: rank 0: expected another rank below "
     "2, "
     "got "
     "0"},
    {"fused_with_none",
     [](Executable &e) { instruction(e, 2, 0).mutable_collective()->set_fused(true); },
     "programs[0].sections[2].instructions[0].collective.fused: expected a collective of the same "
     "kind, "
     "stream, group, type and reduction before it"},
    {"fused_with_another_kind",
     [](Executable &e) { fuse(e).mutable_collective()->set_reduction(abi::MAX); },
     "programs[0].sections[2].instructions[1].collective.fused: expected a collective of the same "
     "kind, "
     "stream, group, type and reduction before it"},
    {"fused_broadcast",
     [](Executable &e) {
       instruction(e, 2, 0).mutable_collective()->set_kind(abi::BROADCAST);
       fuse(e);
     },
     "programs[0].sections[2].instructions[1].collective.fused: expected an all-reduce, all-gather "
     "or "
     "reduce-scatter"},
    {"fused_waits",
     [](Executable &e) {
       fuse(e).add_waits(0);
       program(e).set_events(1);
     },
     "programs[0].sections[2].instructions[1].collective.fused: expected no waits but those of the "
     "first of the message"},
    {"fused_overlap", [](Executable &e) { fuse(e); },
     "programs[0].sections[2].instructions[1].collective.fused: expected bytes that no other of "
     "the "
     "message touches"},
};

class ValidateInstructions : public testing::TestWithParam<Break> {};

TEST_P(ValidateInstructions, NamesTheField) { expectError(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Fields, ValidateInstructions, testing::ValuesIn(breaks),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace pcc::test
