// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the simulator on handmade instructions of GPT-3's shape: 64 stages of two layers, each on 8
// data times 8 tensor ranks, 128 microbatches in 1F1B. Prints the seconds of each part, and the
// peak memory of the process.
//   simulate-time [STAGES [DATA-RANKS [TENSOR-RANKS [MICROBATCHES]]]]

#include "runtime/abi/program/RankExpression.h"
#include "runtime/machine/Cluster.h"
#include "runtime/simulate/Simulate.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

using namespace pcc;

namespace {

constexpr int64_t rows = 2048, width = 12288;
constexpr int layers = 2;

struct Sizes {
  int stages = 64, data = 8, tensor = 8, microbatches = 128;
};

enum Group : uint32_t { Tensor, Data };

class StageMaker {
public:
  StageMaker(abi::Program &program, const Sizes &sizes, int stage)
      : program(program), sizes(sizes), stage(stage),
        inFlight(std::min(sizes.microbatches, sizes.stages - stage)) {}

  void make();

private:
  uint32_t buffer(const std::string &name, int64_t m, int64_t n, int copies);
  abi::Instruction &instruction(abi::Section &section, const std::string &op);
  void addMatmul(abi::Section &section, const std::string &op, uint32_t from, uint32_t to,
                 int64_t n, int64_t k);
  void reduce(abi::Section &section, const std::string &op, uint32_t own, Group group,
              abi::StreamKind stream);
  void message(abi::Section &section, abi::CollectiveKind kind, int to, uint32_t tag, uint32_t own);
  void layer(abi::Section &section, const std::string &name, bool isBackward);
  void addActions();

  abi::Program &program;
  const Sizes &sizes;
  const int stage, inFlight;
  uint32_t saved = 0, wide = 0, gradient = 0, weights = 0;
};

uint32_t StageMaker::buffer(const std::string &name, int64_t m, int64_t n, int copies) {
  abi::MemoryPlan &memory = *program.mutable_memory();
  abi::Buffer &buffer = *memory.add_buffers();
  buffer.set_name(name);
  buffer.set_space(abi::TEMPORARY);
  buffer.set_type(abi::BF16);
  buffer.add_shape(m);
  buffer.add_shape(n);
  buffer.set_bytes(uint64_t(m * n * 2));
  buffer.set_offset(memory.temporary_bytes());
  buffer.mutable_ring()->set_depth(uint32_t(copies));
  buffer.mutable_ring()->set_stride(buffer.bytes());
  memory.set_temporary_bytes(memory.temporary_bytes() + buffer.bytes() * uint64_t(copies));
  return uint32_t(memory.buffers_size()) - 1;
}

abi::Instruction &StageMaker::instruction(abi::Section &section, const std::string &op) {
  abi::Instruction &instruction = *section.add_instructions();
  instruction.set_op(op);
  return instruction;
}

void StageMaker::addMatmul(abi::Section &section, const std::string &op, uint32_t from, uint32_t to,
                           int64_t n, int64_t k) {
  abi::Matmul &matmul = *instruction(section, op).mutable_matmul();
  matmul.set_batch(1);
  matmul.set_m(rows);
  matmul.set_n(n);
  matmul.set_k(k);
  matmul.set_type(abi::BF16);
  matmul.set_result_type(abi::BF16);
  matmul.mutable_a()->set_buffer(from);
  matmul.mutable_b()->set_buffer(weights);
  matmul.mutable_c()->set_buffer(to);
}

void StageMaker::reduce(abi::Section &section, const std::string &op, uint32_t own, Group group,
                        abi::StreamKind stream) {
  abi::Instruction &added = instruction(section, op);
  added.set_stream(stream);
  abi::Collective &collective = *added.mutable_collective();
  collective.set_kind(abi::ALL_REDUCE);
  collective.set_reduction(abi::SUM);
  collective.set_type(abi::BF16);
  collective.set_group(group);
  collective.add_shape(rows);
  collective.add_shape(width);
  collective.mutable_source()->set_buffer(own);
  collective.mutable_destination()->set_buffer(own);
}

void StageMaker::message(abi::Section &section, abi::CollectiveKind kind, int to, uint32_t tag,
                         uint32_t own) {
  if (to < 0 || to >= sizes.stages)
    return;
  bool sends = kind == abi::SEND;
  if (sends) {
    section.mutable_instructions(section.instructions_size() - 1)->add_signals(program.events());
    program.set_events(program.events() + 1);
  }
  abi::Instruction &added = instruction(section, sends ? "send" : "recv");
  added.set_stream(abi::TRANSFER);
  if (sends)
    added.add_waits(program.events() - 1);
  else
    added.add_signals(program.events());
  program.set_events(program.events() + !sends);
  abi::Collective &collective = *added.mutable_collective();
  collective.set_kind(kind);
  collective.set_type(abi::BF16);
  collective.add_shape(rows);
  collective.add_shape(width / sizes.tensor);
  collective.set_tag(tag);
  (sends ? collective.mutable_source() : collective.mutable_destination())->set_buffer(own);
  collective.mutable_peer()->set_constant(int64_t(to) * sizes.data * sizes.tensor);
  for (auto [axis, stride] : {std::pair(1, sizes.tensor), std::pair(2, 1)}) {
    abi::RankExpression::Term &term = *collective.mutable_peer()->add_terms();
    term.set_axis(uint32_t(axis));
    term.set_stride(stride);
  }
}

/// Adds attention and feed-forward: norms and gelu as moves, matmuls as they are, twice in the
/// backward pass, and two all-reduces over the tensor ranks.
void StageMaker::layer(abi::Section &section, const std::string &name, bool isBackward) {
  int64_t part = width / sizes.tensor;
  auto move = [&](const char *op) {
    abi::Fill &fill = *instruction(section, name + op).mutable_fill();
    fill.mutable_destination()->set_buffer(gradient);
    fill.set_bytes(uint64_t(rows * width * 2));
  };
  for (int half = 0; half < 2; ++half) {
    move("/norm");
    for (int i = 0; i < (isBackward ? 2 : 1); ++i) {
      addMatmul(section, name + "/in", saved, wide, (half ? 4 : 3) * part, width);
      move("/middle");
      addMatmul(section, name + "/out", wide, saved, width, (half ? 4 : 1) * part);
    }
    reduce(section, name + "/sum", gradient, Tensor, abi::COMPUTE);
    move("/add");
  }
}

void StageMaker::addActions() {
  auto add = [&](uint32_t section, int microbatch) {
    abi::Action &action = *program.add_actions();
    action.set_section(section);
    action.set_microbatch(uint32_t(microbatch));
  };
  int ahead = inFlight - 1;
  for (int i = 0; i < ahead; ++i)
    add(0, i);
  for (int i = 0; i < sizes.microbatches; ++i) {
    if (i + ahead < sizes.microbatches)
      add(0, i + ahead);
    add(1, i);
  }
  add(2, 0);
}

void StageMaker::make() {
  saved = buffer("saved", rows, width, inFlight + 1);
  wide = buffer("wide", rows, 4 * width / sizes.tensor, 1);
  gradient = buffer("gradient", rows, width, 1);
  weights = buffer("weights", width, 4 * width / sizes.tensor, 1);
  abi::Section &forward = *program.add_sections();
  forward.set_name("forward_train");
  message(forward, abi::RECV, stage - 1, 0, saved);
  for (int i = 0; i < layers; ++i)
    layer(forward, fmt::format("h.{}", stage * layers + i), false);
  if (stage > 0)
    forward.mutable_instructions(1)->add_waits(forward.instructions(0).signals(0));
  message(forward, abi::SEND, stage + 1, 0, saved);
  abi::Section &backward = *program.add_sections();
  backward.set_name("backward");
  message(backward, abi::RECV, stage + 1, 0, gradient);
  for (int i = layers; i-- > 0;)
    layer(backward, fmt::format("h.{}.grad", stage * layers + i), true);
  if (stage + 1 < sizes.stages)
    backward.mutable_instructions(1)->add_waits(backward.instructions(0).signals(0));
  message(backward, abi::SEND, stage - 1, 0, gradient);
  abi::Section &update = *program.add_sections();
  update.set_name("update");
  for (int i = 0; i < 4 * layers; ++i)
    reduce(update, fmt::format("w.{}", i), weights, Data, abi::COMMUNICATION);
  addActions();
}

abi::Executable makePipeline(const Sizes &sizes) {
  abi::Executable executable;
  for (auto [name, size] : {std::pair("pp", sizes.stages), std::pair("dp", sizes.data),
                            std::pair("tp", sizes.tensor)}) {
    abi::MeshAxis &axis = *executable.mutable_mesh()->add_axes();
    axis.set_name(name);
    axis.set_size(size);
  }
  abi::RankGroups &tensor = *executable.add_groups(), &data = *executable.add_groups();
  for (int s = 0; s < sizes.stages; ++s) {
    auto rankOf = [&](int d, int t) { return uint32_t((s * sizes.data + d) * sizes.tensor + t); };
    for (int d = 0; d < sizes.data; ++d) {
      abi::RankList &list = *tensor.add_lists();
      for (int t = 0; t < sizes.tensor; ++t)
        list.add_ranks(rankOf(d, t));
    }
    for (int t = 0; t < sizes.tensor; ++t) {
      abi::RankList &list = *data.add_lists();
      for (int d = 0; d < sizes.data; ++d)
        list.add_ranks(rankOf(d, t));
    }
    StageMaker(*executable.add_programs(), sizes, s).make();
  }
  executable.mutable_batch()->set_micro_batches(uint32_t(sizes.microbatches));
  executable.mutable_batch()->set_copies(1);
  return executable;
}

double secondsOf(const auto &run) {
  auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

int main(int argc, char **argv) {
  Sizes sizes;
  int *numbers[] = {&sizes.stages, &sizes.data, &sizes.tensor, &sizes.microbatches};
  for (int i = 1; i < std::min(argc, 5); ++i)
    *numbers[i - 1] = std::max(1, std::atoi(argv[i]));
  abi::Executable executable = makePipeline(sizes);
  int64_t ranks = abi::rankCount(executable.mesh());
  abi::Cluster cluster = *machine::parseForm(fmt::format("{}x8xH100", (ranks + 7) / 8));
  fmt::print("{} stages x {} x {} ranks, {} microbatches\n", sizes.stages, sizes.data, sizes.tensor,
             sizes.microbatches);
  for (bool tracksMemory : {false, true}) {
    size_t runs = 0, classes = 0;
    double length = 0;
    double seconds = secondsOf([&] {
      auto step = simulate::simulate(executable, cluster, {.tracksMemory = tracksMemory});
      if (!step)
        return fmt::print("{}\n", step.status().describe());
      length = step->seconds;
      classes = step->timelines.size();
      for (const simulate::Timeline &timeline : step->timelines)
        runs += timeline.spans.size();
    });
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{:<16} {:8.3f} s, {} classes, {} runs, a step of {:.3f} s, {} MB\n",
               tracksMemory ? "with live bytes" : "times", seconds, classes, runs, length,
               usage.ru_maxrss / 1024);
  }
  return 0;
}
