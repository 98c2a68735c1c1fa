// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors in the tables of a program: mesh, memory, interface, actions and events.

#include "test/unit/runtime/abi/BrokenPrograms.h"

namespace pcc::test {
namespace {

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
    // 4096 ranks are a valid mesh. The error is the group of two ranks.
    {"group_of_few",
     [](Executable &e) {
       abi::MeshAxis &axis = *e.mutable_mesh()->add_axes();
       axis.set_name("tp");
       axis.set_size(2048);
     },
     "groups[0]: expected all 4096 ranks, got 2"},
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
    {"flops_twice",
     [](Executable &e) {
       for (int i = 0; i < 2; ++i)
         e.add_model_flops()->set_type(abi::F32);
     },
     "model_flops[1]: type: f32 is given twice"},
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

TEST_P(Validate, NamesTheField) { expectError(GetParam()); }

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
