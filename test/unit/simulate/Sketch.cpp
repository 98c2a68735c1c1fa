// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/simulate/Sketch.h"

#include "runtime/machine/Cluster.h"

#include <cstdlib>

namespace pcc::test {

abi::Cluster exactCluster(const std::vector<int64_t> &counts,
                          const std::vector<double> &latencies) {
  abi::Cluster cluster = *machine::parseForm("1xcpu");
  cluster.mutable_device()->mutable_launch_seconds()->set_value(0);
  cluster.mutable_device()->mutable_memory_bytes_per_second()->set_value(1);
  cluster.mutable_device()->clear_memory_reached_share();
  cluster.clear_level();
  for (size_t i = 0; i < counts.size(); ++i) {
    abi::TopologyLevel &level = *cluster.add_level();
    level.set_count(counts[i]);
    abi::LinkFigures &link = *level.mutable_figures();
    link.mutable_latency_seconds()->set_value(latencies[i]);
    link.mutable_gap_seconds()->set_value(0);
    link.mutable_bytes_per_second()->set_value(1e300);
    link.add_algorithm(abi::ONE_SHOT);
  }
  return cluster;
}

Sketch::Sketch(int stages, int dataRanks) : dataRanks(dataRanks), latest(stages) {
  for (auto [name, size] : {std::pair("pp", stages), std::pair("dp", dataRanks)}) {
    abi::MeshAxis &axis = *executable.mutable_mesh()->add_axes();
    axis.set_name(name);
    axis.set_size(size);
  }
  abi::RankGroups &group = *executable.add_groups();
  for (int s = 0; s < stages; ++s) {
    executable.add_programs();
    abi::RankList &list = *group.add_lists();
    for (int r = 0; r < dataRanks; ++r)
      list.add_ranks(uint32_t(s * dataRanks + r));
  }
  executable.mutable_batch()->set_micro_batches(1);
  executable.mutable_batch()->set_copies(1);
}

uint32_t Sketch::section(int stage, const std::string &name) {
  abi::Program &program = *executable.mutable_programs(stage);
  program.add_sections()->set_name(name);
  return uint32_t(program.sections_size()) - 1;
}

uint32_t Sketch::signal(int stage) {
  abi::Program &program = *executable.mutable_programs(stage);
  uint32_t event = program.events();
  program.set_events(event + 1);
  latest[stage]->add_signals(event);
  return event;
}

uint32_t Sketch::buffer(int stage, const std::string &name, int64_t bytes) {
  abi::MemoryPlan &memory = *executable.mutable_programs(stage)->mutable_memory();
  abi::Buffer &buffer = *memory.add_buffers();
  buffer.set_name(name);
  buffer.set_space(abi::TEMPORARY);
  buffer.set_type(abi::I8);
  buffer.set_bytes(uint64_t(bytes));
  buffer.add_shape(bytes);
  buffer.set_offset(memory.temporary_bytes());
  memory.set_temporary_bytes(memory.temporary_bytes() + (uint64_t(bytes) + 63) / 64 * 64);
  return uint32_t(memory.buffers_size()) - 1;
}

abi::Instruction &Sketch::add(int stage, uint32_t section, const std::string &op,
                              const std::vector<uint32_t> &waits, abi::StreamKind stream) {
  abi::Instruction &instruction =
      *executable.mutable_programs(stage)->mutable_sections(int(section))->add_instructions();
  instruction.set_op(op);
  instruction.set_stream(stream);
  instruction.mutable_waits()->Add(waits.begin(), waits.end());
  return *(latest[stage] = &instruction);
}

abi::Instruction &Sketch::work(int stage, uint32_t section, const std::string &op, int64_t seconds,
                               const std::vector<uint32_t> &waits) {
  abi::Instruction &instruction = add(stage, section, op, waits, abi::COMPUTE);
  instruction.mutable_fill()->mutable_destination()->set_buffer(buffer(stage, op, seconds));
  instruction.mutable_fill()->set_bytes(uint64_t(seconds));
  return instruction;
}

abi::Instruction &Sketch::message(int stage, uint32_t section, abi::CollectiveKind kind, int peer,
                                  uint32_t tag, const std::vector<uint32_t> &waits,
                                  abi::StreamKind stream) {
  std::string op = (kind == abi::SEND ? "send " : "recv ") + std::to_string(tag);
  abi::Instruction &instruction = add(stage, section, op, waits, stream);
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_kind(kind);
  collective.set_type(abi::I8);
  collective.add_shape(1);
  collective.set_tag(tag);
  (kind == abi::SEND ? collective.mutable_source() : collective.mutable_destination())
      ->set_buffer(buffer(stage, op, 1));
  collective.mutable_peer()->set_constant(int64_t(peer) * dataRanks);
  abi::RankExpression::Term &place = *collective.mutable_peer()->add_terms();
  place.set_axis(1);
  place.set_stride(1);
  return instruction;
}

abi::Instruction &Sketch::send(int stage, uint32_t section, int to, uint32_t tag,
                               const std::vector<uint32_t> &waits, abi::StreamKind stream) {
  return message(stage, section, abi::SEND, to, tag, waits, stream);
}

abi::Instruction &Sketch::receive(int stage, uint32_t section, int from, uint32_t tag,
                                  const std::vector<uint32_t> &waits, abi::StreamKind stream) {
  return message(stage, section, abi::RECV, from, tag, waits, stream);
}

abi::Instruction &Sketch::reduce(int stage, uint32_t section, const std::string &op,
                                 const std::vector<uint32_t> &waits, abi::StreamKind stream) {
  abi::Instruction &instruction = add(stage, section, op, waits, stream);
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_kind(abi::ALL_REDUCE);
  collective.set_reduction(abi::SUM);
  collective.set_type(abi::F32);
  collective.add_shape(1);
  uint32_t own = buffer(stage, op, 4);
  collective.mutable_source()->set_buffer(own);
  collective.mutable_destination()->set_buffer(own);
  return instruction;
}

void Sketch::action(int stage, uint32_t section, uint32_t microbatch) {
  abi::Action &action = *executable.mutable_programs(stage)->add_actions();
  action.set_section(section);
  action.set_microbatch(microbatch);
  uint32_t all = std::max(executable.batch().micro_batches(), microbatch + 1);
  executable.mutable_batch()->set_micro_batches(all);
}

simulate::Span spanOf(const abi::Executable &executable, const simulate::Simulation &simulation,
                      size_t timeline, const std::string &op, int run) {
  const simulate::Timeline &own = simulation.timelines[timeline];
  const abi::Program &program = executable.programs(own.program);
  size_t place = 0;
  for (const abi::Action &action : simulation.actions[own.program])
    for (const abi::Instruction &instruction :
         program.sections(int(action.section())).instructions()) {
      if (instruction.op() == op && run-- == 0)
        return own.spans[place];
      ++place;
    }
  std::abort();
}

} // namespace pcc::test
