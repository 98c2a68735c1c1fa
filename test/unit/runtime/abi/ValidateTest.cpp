// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case breaks one field of a valid program and expects the message that names it.

#include "runtime/abi/Executable.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <limits>

#include <functional>

namespace pcc::test {
namespace {

using abi::Executable;
using abi::Instruction;
using abi::Program;

struct Break {
  const char *name;
  std::function<void(Executable &)> change;
  const char *message;
};

void PrintTo(const Break &test, std::ostream *out) { *out << test.name; }

Program &program(Executable &executable) { return *executable.mutable_programs(0); }
abi::MemoryPlan &memory(Executable &executable) { return *program(executable).mutable_memory(); }
Instruction &instruction(Executable &executable, int section, int index) {
  return *program(executable).mutable_sections(section)->mutable_instructions(index);
}

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
    {"mesh_size", [](Executable &e) { e.mutable_mesh()->mutable_axes(0)->set_size(0); },
     "mesh.axes[0]: expected a size from 1 to 4096, got 0"},
    {"mesh_ranks",
     [](Executable &e) {
       abi::MeshAxis &axis = *e.mutable_mesh()->add_axes();
       axis.set_name("tp");
       axis.set_size(4096);
     },
     "mesh.axes[1]: expected at most 4096 ranks in all"},
    {"axis_twice",
     [](Executable &e) {
       abi::MeshAxis &axis = *e.mutable_mesh()->add_axes();
       axis.set_name("dp");
       axis.set_size(1);
     },
     "mesh.axes[1]: the name 'dp' is given twice"},
    {"group_rank", [](Executable &e) { e.mutable_groups(0)->mutable_lists(0)->set_ranks(1, 7); },
     "groups[0].lists[0]: expected ranks below 2, got 7"},
    {"group_twice", [](Executable &e) { e.mutable_groups(0)->mutable_lists(0)->set_ranks(1, 0); },
     "groups[0].lists[0]: rank 0 is in two lists"},
    {"kernel_without_code", [](Executable &e) { e.mutable_object()->clear_elf(); },
     "object: expected code for 6 kernels"},
    {"programs",
     [](Executable &e) {
       e.add_programs();
       e.add_programs();
     },
     "programs: expected a number that divides the 2 ranks, got 3"},
    {"buffer_space", [](Executable &e) { memory(e).mutable_buffers(0)->set_space(abi::Space(9)); },
     "programs[0].memory.buffers[0]: space: expected a space, got 9"},
    {"buffer_outside", [](Executable &e) { memory(e).mutable_buffers(0)->set_offset(1 << 20); },
     "programs[0].memory.buffers[0]: expected offset 1048576 and 48 bytes within the 80 bytes of "
     "its "
     "space"},
    {"buffer_offset", [](Executable &e) { memory(e).mutable_buffers(0)->set_offset(4); },
     "programs[0].memory.buffers[0]: offset: expected a multiple of 64, got 4"},
    {"buffer_bytes", [](Executable &e) { memory(e).mutable_buffers(0)->set_bytes(44); },
     "programs[0].memory.buffers[0]: bytes: expected 12 elements of f32, got 44 bytes"},
    {"parameter_block",
     [](Executable &e) {
       program(e).mutable_parameters(0)->mutable_block()->mutable_offsets(0)->set_constant(1);
     },
     "programs[0].parameters[0].block.offsets[0]: rank 0: expected 5 elements from 1 on within 5"},
    {"parameter_size",
     [](Executable &e) {
       program(e).mutable_parameters(0)->mutable_block()->set_global_shape(0, int64_t(1) << 58);
     },
     "programs[0].parameters[0].block: expected extents whose product is a size"},
    {"parameter_buffer", [](Executable &e) { program(e).mutable_parameters(0)->set_buffer(999); },
     "programs[0].parameters[0]: expected a buffer below 18, got 999"},
    {"parameter_data",
     [](Executable &e) {
       program(e).mutable_parameters(0)->mutable_initializer()->set_data("abc");
     },
     "programs[0].parameters[0]: initializer: expected 120 bytes, got 3"},
    {"parameter_state_of",
     [](Executable &e) { program(e).mutable_parameters(0)->set_state_of("w9"); },
     "programs[0].parameters[0]: state_of: expected the name of a parameter, got 'w9'"},
    {"piece_period",
     [](Executable &e) {
       abi::ParameterPart &part = *program(e).mutable_parameters(0)->mutable_part();
       part.add_shape(60);
       part.set_period(7);
     },
     "programs[0].parameters[0].part: expected a period that divides the elements of 'shape', "
     "got 7"},
    {"piece_empty",
     [](Executable &e) {
       abi::ParameterPart &part = *program(e).mutable_parameters(0)->mutable_part();
       part.add_shape(0);
       part.set_period(1);
     },
     "programs[0].parameters[0].part: expected 30 elements in 0 periods of 1, got them from 0 on"},
    {"piece_offset",
     [](Executable &e) {
       abi::ParameterPart &part = *program(e).mutable_parameters(0)->mutable_part();
       part.add_shape(60);
       part.set_period(60);
       part.set_offset(31);
     },
     "programs[0].parameters[0].part: expected 30 elements in 1 periods of 60, got them from 31 "
     "on"},
    {"piece_of_part",
     [](Executable &e) {
       abi::ParameterPart &part = *program(e).mutable_parameters(0)->mutable_part();
       part.set_whole("w");
       part.add_shape(60);
       part.set_period(60);
     },
     "programs[0]: expected 60 elements in the parts of 'w', got 30"},
    {"input_range",
     [](Executable &e) { program(e).mutable_inputs(0)->mutable_range()->set_greatest(-1); },
     "programs[0].inputs[0]: range: expected a least value up to the greatest, got 0 and -1"},
    {"input_space", [](Executable &e) { program(e).mutable_inputs(0)->set_buffer(4); },
     "programs[0].inputs[0]: buffer 'w0': expected the space INPUT, got PERSISTENT"},
    {"result_axis", [](Executable &e) { program(e).mutable_results(0)->set_partial_axes(0, 3); },
     "programs[0].results[0]: partial_axes: expected an axis below 1, got 3"},
    {"loss_without_element",
     [](Executable &e) {
       abi::Result &loss = *program(e).mutable_results(0);
       loss.mutable_block()->add_global_shape(1);
       loss.mutable_block()->add_local_shape(0);
       loss.mutable_block()->add_offsets();
       abi::Buffer &buffer = *memory(e).mutable_buffers(int(loss.buffer()));
       buffer.add_shape(0);
       buffer.set_bytes(0);
     },
     "programs[0].results[0]: expected one element in a loss"},
    {"metric_kind",
     [](Executable &e) { program(e).mutable_metrics(1)->set_kind(abi::Metric::Kind(99)); },
     "programs[0].metrics[1]: kind: expected a kind, got 99"},
    {"metric_of_elements",
     [](Executable &e) {
       program(e).mutable_metrics(0)->set_kind(abi::Metric::MEAN_SQUARED_ERROR);
     },
     "programs[0].metrics[0]: label: expected floats, got i64"},
    {"flops_type", [](Executable &e) { e.add_model_flops()->set_flops(1); },
     "model_flops[0]: type: expected an element type, got 0"},
    {"peak_seconds", [](Executable &e) { e.set_peak_seconds(-1); },
     "peak_seconds: expected a number from 0 on, got -1"},
    {"metric_twice", [](Executable &e) { program(e).mutable_metrics(1)->set_name("accuracy"); },
     "programs[0].metrics[1]: the name 'accuracy' is given twice"},
    {"metric_output", [](Executable &e) { program(e).mutable_metrics(0)->set_output(0); },
     "programs[0].metrics[0]: output: expected the index of an output, got 0"},
    {"slot_section", [](Executable &e) { program(e).mutable_actions(0)->set_section(8); },
     "programs[0].actions[0]: section: expected an index below 3, got 8"},
    {"slot_microbatch", [](Executable &e) { program(e).mutable_actions(0)->set_microbatch(1); },
     "programs[0].actions[0]: expected a microbatch below 1 and a copy below 1, got 1 and 0"},
    {"batch_rows",
     [](Executable &e) {
       e.mutable_batch()->set_micro_batches(1 << 30);
       e.mutable_batch()->set_copies(1 << 20);
     },
     "programs[0]: inputs: expected a number of rows in a batch, got 4·1073741824·1048576"},
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
    {"event_range", [](Executable &e) { instruction(e, 0, 0).add_signals(5); },
     "programs[0].sections[0].instructions[0]: signals: expected an event below 0, got 5"},
    {"event_order",
     [](Executable &e) {
       program(e).set_events(1);
       instruction(e, 1, 0).add_waits(0);
       instruction(e, 1, 1).add_signals(0);
     },
     "programs[0].sections[1].instructions[0]: waits: event 0 is not signaled before"},
    {"behind_count",
     [](Executable &e) {
       program(e).set_events(1);
       instruction(e, 1, 0).add_signals(0);
       instruction(e, 1, 1).add_waits(0);
       instruction(e, 1, 1).add_behind(1);
       instruction(e, 1, 1).add_behind(1);
     },
     "programs[0].sections[1].instructions[1]: behind: expected none or 1 numbers, got 2"},
    {"behind_order",
     [](Executable &e) {
       e.mutable_batch()->set_micro_batches(2);
       abi::Action &again = *program(e).add_actions();
       again = program(e).actions(0);
       again.set_microbatch(1);
       program(e).set_events(1);
       instruction(e, int(again.section()), 0).add_waits(0);
       instruction(e, int(again.section()), 0).add_behind(1);
       instruction(e, int(program(e).actions(1).section()), 0).add_signals(0);
     },
     "programs[0].sections[1].instructions[0]: behind: in action 0 event 0 is signaled after it is "
     "waited for"},
    {"event_twice",
     [](Executable &e) {
       program(e).set_events(1);
       instruction(e, 1, 0).add_signals(0);
       instruction(e, 1, 1).add_signals(0);
     },
     "programs[0].sections[1].instructions[1]: signals: event 0 has another signaler"},
};

class Validate : public testing::TestWithParam<Break> {};

TEST_P(Validate, NamesTheField) {
  Executable executable = makeMlp({.ranks = 2, .batch = 4, .widths = {6, 5, 3}});
  ASSERT_EQ(abi::validate(executable).message(), "");
  GetParam().change(executable);
  EXPECT_EQ(abi::validate(executable).message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Fields, Validate, testing::ValuesIn(breaks),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(ValidateExecutable, AProgramThatIsOnlyLookedAtNeedsNoCode) {
  Executable executable = makeMlp({});
  executable.mutable_object()->clear_elf();
  EXPECT_FALSE(validate(executable).ok());
  EXPECT_TRUE(validate(executable, /*hasCode=*/false).ok());
}

} // namespace
} // namespace pcc::test
