// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/Pipelines.h"

#include "runtime/abi/program/BufferRings.h"
#include "test/unit/runtime/LastRuns.h"
#include "test/unit/runtime/Programs.h"

#include <algorithm>
#include <cmath>

namespace pcc::test {
namespace {

/// Tags of values that go forward, and of gradients that go back.
enum Tag : uint32_t { Forward = 1, Back = 2 };

struct Layer {
  uint32_t weight, weightGradient;
  uint32_t input, value; ///< value: the next layer's input
  uint32_t inputGradient, valueGradient;
};

class StageBuilder {
public:
  StageBuilder(const CompileOptions &options, int stage)
      : options(options), stage(stage), builder(options.dataRanks),
        perStage(options.layers / options.stages), rows(options.batch / options.microBatches),
        localRows(rows / options.dataRanks),
        inFlight(std::min(options.microBatches, options.stages - stage)) {
    builder.dataAxis = 1;
  }

  ProgramBuilder &build();

private:
  bool isFirst() const { return stage == 0; }
  bool isLast() const { return stage + 1 == options.stages; }
  uint32_t event() { return builder.program.events(); }
  uint32_t signal(abi::Instruction &instruction);
  uint32_t ring(const std::string &name, int copies);
  static void waitFor(abi::Instruction &instruction, uint32_t event, uint32_t behind);
  void addBuffers();
  void addForward();
  void addBackward();
  void addBackwardOf(size_t layer, abi::Section &section);
  void addUpdate();
  void addTied(abi::Section &section);
  void addSecondHalf(abi::Section &section, abi::Collective &first);
  void addSlots();
  void addResults();
  abi::Instruction &message(abi::Section &section, abi::CollectiveKind kind, uint32_t buffer,
                            int to, uint32_t tag);
  abi::Instruction &product(abi::Section &section, const std::string &op, uint32_t a, uint32_t b,
                            uint32_t c, bool isWeight);
  abi::Instruction &launch(abi::Section &section, const std::string &kernel,
                           const std::vector<std::pair<uint32_t, abi::Access>> &operands,
                           const std::vector<int64_t> &scalars);

  const CompileOptions options;
  const int stage;
  ProgramBuilder builder;
  const int perStage;
  const int64_t rows, localRows;
  const int inFlight;
  std::vector<Layer> layers;
  uint32_t label = 0, loss = 0, lossSum = 0, tied = 0, tiedGradient = 0;
  /// Event of the last instruction of `backward` that reads activations, and event of the send of a
  /// gradient.
  uint32_t backwardDone = 0, gradientSent = 0;
};

uint32_t StageBuilder::signal(abi::Instruction &instruction) {
  uint32_t event = builder.program.events();
  builder.program.set_events(event + 1);
  instruction.add_signals(event);
  return event;
}

/// Adds an activation or gradient [rows, width] as a ring of depth `copies`.
uint32_t StageBuilder::ring(const std::string &name, int copies) {
  uint32_t index = builder.buffer(name, abi::TEMPORARY, abi::F32, {localRows, options.width});
  abi::MemoryPlan &memory = *builder.program.mutable_memory();
  abi::Buffer &buffer = *memory.mutable_buffers(int(index));
  buffer.mutable_ring()->set_depth(uint32_t(copies));
  buffer.mutable_ring()->set_stride((buffer.bytes() + 63) / 64 * 64);
  memory.set_temporary_bytes(buffer.offset() + abi::ringBytes(buffer));
  return index;
}

void StageBuilder::addBuffers() {
  auto temporary = [&](const std::string &name) {
    return builder.buffer(name, abi::TEMPORARY, abi::F32, {localRows, options.width});
  };
  // Messages that overlap with actions need one more place in the ring.
  int more = options.early ? 1 : 0;
  uint32_t input = isFirst() ? builder.input("image", abi::F32, rows, {options.width})
                             : ring("x", inFlight + more);
  uint32_t inputGradient = isFirst() ? 0 : ring("x.grad", 1 + more);
  if (isLast()) {
    label = builder.input("label", abi::I64, rows, {});
    loss = builder.buffer("loss", abi::TEMPORARY, abi::F32, {});
    lossSum = builder.buffer("loss.sum", abi::PERSISTENT, abi::F32, {});
  }
  for (int i = 0; i < perStage; ++i) {
    std::string n = std::to_string(stage * perStage + i);
    std::vector<int64_t> shape = {options.width, options.width};
    uint32_t weight = builder.parameter("w" + n, shape, std::sqrt(2.0 / double(options.width)));
    uint32_t gradient = builder.buffer("w" + n + ".grad", abi::PERSISTENT, abi::F32, shape);
    bool isReceived = !isLast() && i + 1 == perStage;
    uint32_t value = ring("h" + n, inFlight + (isReceived ? more : 0));
    uint32_t valueGradient =
        isReceived ? ring("h" + n + ".grad", 1 + more) : temporary("h" + n + ".grad");
    layers.push_back({weight, gradient, input, value, inputGradient, valueGradient});
    input = value;
    inputGradient = valueGradient;
  }
  if (options.shares && (isFirst() || isLast())) {
    tied = builder.parameter("tied", {options.width}, 1);
    tiedGradient = builder.buffer("tied.grad", abi::PERSISTENT, abi::F32, {options.width});
  }
}

void StageBuilder::waitFor(abi::Instruction &instruction, uint32_t event, uint32_t behind) {
  instruction.add_waits(event);
  if (behind == 0)
    return;
  instruction.mutable_behind()->Resize(instruction.waits_size(), 0);
  instruction.set_behind(instruction.waits_size() - 1, behind);
}

abi::Instruction &StageBuilder::message(abi::Section &section, abi::CollectiveKind kind,
                                        uint32_t buffer, int to, uint32_t tag) {
  abi::Instruction &instruction = *section.add_instructions();
  bool sends = kind == abi::SEND;
  instruction.set_op((sends ? "send " : "recv ") +
                     builder.program.memory().buffers(int(buffer)).name());
  instruction.set_stream(sends && options.blockingSends ? abi::COMPUTE : abi::TRANSFER);
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_kind(kind);
  collective.set_type(abi::F32);
  collective.add_shape(localRows);
  collective.add_shape(options.width);
  (sends ? collective.mutable_source() : collective.mutable_destination())->set_buffer(buffer);
  // The peer is the own rank, shifted by whole stages.
  collective.mutable_peer()->set_constant(int64_t(to - stage) * options.dataRanks);
  for (uint32_t axis : {0, 1}) {
    abi::RankExpression::Term &term = *collective.mutable_peer()->add_terms();
    term.set_axis(axis);
    term.set_stride(axis == 0 ? options.dataRanks : 1);
  }
  collective.set_tag(tag);
  return instruction;
}

abi::Instruction &StageBuilder::product(abi::Section &section, const std::string &op, uint32_t a,
                                        uint32_t b, uint32_t c, bool isWeight) {
  abi::Instruction &instruction = *section.add_instructions();
  instruction.set_op(op);
  abi::Matmul &matmul = *instruction.mutable_matmul();
  matmul.set_batch(1);
  matmul.set_m(isWeight ? options.width : localRows);
  matmul.set_n(options.width);
  matmul.set_k(isWeight ? localRows : options.width);
  matmul.set_transpose_a(isWeight);
  matmul.set_type(abi::F32);
  matmul.set_result_type(abi::F32);
  matmul.mutable_a()->set_buffer(a);
  matmul.mutable_b()->set_buffer(b);
  matmul.mutable_c()->set_buffer(c);
  return instruction;
}

abi::Instruction &
StageBuilder::launch(abi::Section &section, const std::string &kernel,
                     const std::vector<std::pair<uint32_t, abi::Access>> &operands,
                     const std::vector<int64_t> &scalars) {
  std::vector<uint32_t> buffers;
  for (auto [buffer, access] : operands)
    buffers.push_back(buffer);
  abi::Instruction &instruction = builder.launch(section, kernel, buffers, scalars);
  for (size_t i = 0; i < operands.size(); ++i)
    instruction.mutable_launch()->mutable_operands(int(i))->set_access(operands[i].second);
  return instruction;
}

void StageBuilder::addForward() {
  abi::Section &section = builder.section("forward");
  abi::Instruction *arrived = nullptr;
  if (!isFirst())
    arrived = &message(section, abi::RECV, layers[0].input, stage - 1, Forward);
  uint32_t arrival = arrived ? signal(*arrived) : 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    abi::Instruction &instruction =
        product(section, "fc" + std::to_string(stage * perStage + int(i)), layers[i].input,
                layers[i].weight, layers[i].value, false);
    instruction.mutable_matmul()->set_transpose_b(true);
    if (!isLast() || i + 1 < layers.size())
      instruction.mutable_matmul()->set_activation(abi::RELU);
    if (arrived && i == 0)
      instruction.add_waits(arrival);
  }
  if (isLast())
    return;
  uint32_t computed = signal(*section.mutable_instructions(section.instructions_size() - 1));
  message(section, abi::SEND, layers.back().value, stage + 1, Forward).add_waits(computed);
}

void StageBuilder::addBackwardOf(size_t layer, abi::Section &section) {
  const Layer &l = layers[layer];
  std::string name = "fc" + std::to_string(stage * perStage + int(layer));
  if (!isLast() || layer + 1 < layers.size())
    launch(section, "relu_backward", {{l.value, abi::READ}, {l.valueGradient, abi::READ_WRITE}},
           {localRows * options.width})
        .set_op(name + ".relu_grad");
  product(section, name + ".grad_weight", l.valueGradient, l.input, l.weightGradient, true)
      .mutable_matmul()
      ->set_accumulation(abi::ADD_AFTER_FIRST);
  if (!isFirst() || layer > 0)
    product(section, name + ".grad", l.valueGradient, l.weight, l.inputGradient, false);
}

void StageBuilder::addBackward() {
  abi::Section &section = builder.section("backward");
  if (isLast()) {
    launch(section, "softmax_cross_entropy",
           {{layers.back().value, abi::READ},
            {label, abi::READ},
            {loss, abi::WRITE},
            {layers.back().valueGradient, abi::WRITE}},
           {localRows, options.width, options.batch});
    abi::Instruction &instruction = *section.add_instructions();
    instruction.set_op("loss");
    instruction.mutable_accumulate()->mutable_source()->set_buffer(loss);
    instruction.mutable_accumulate()->mutable_destination()->set_buffer(lossSum);
    instruction.mutable_accumulate()->set_source_type(abi::F32);
    instruction.mutable_accumulate()->set_count(1);
    instruction.mutable_accumulate()->set_accumulation(abi::ADD_AFTER_FIRST);
  } else {
    message(section, abi::RECV, layers.back().valueGradient, stage + 1, Back);
  }
  for (size_t i = layers.size(); i-- > 0;)
    addBackwardOf(i, section);
  abi::Instruction &last = *section.mutable_instructions(section.instructions_size() - 1);
  backwardDone = signal(last);
  if (!isLast()) { // the gradient arrives after the use of the preceding one
    abi::Instruction &arrived = *section.mutable_instructions(0);
    waitFor(arrived, backwardDone, options.early ? 3 : 0);
    section.mutable_instructions(1)->add_waits(signal(arrived));
  }
  if (isFirst())
    return;
  waitFor(*builder.program.mutable_sections(0)->mutable_instructions(0), backwardDone,
          options.early ? uint32_t(inFlight) + 2 : 0);
  int before = section.instructions_size() - 1;
  abi::Instruction &send = message(section, abi::SEND, layers[0].inputGradient, stage - 1, Back);
  send.add_waits(backwardDone);
  waitFor(*section.mutable_instructions(before), signal(send), options.early ? 3 : 0);
}

void StageBuilder::addTied(abi::Section &section) {
  // Sums over the group of the first and the last stage. The value of the gradient does not matter:
  // it is zero.
  abi::Instruction &fill = *section.add_instructions();
  fill.set_op("tied.zero");
  fill.mutable_fill()->mutable_destination()->set_buffer(tiedGradient);
  fill.mutable_fill()->set_bytes(uint64_t(options.width) * 4);
  abi::Instruction &sum = builder.allReduce(section, tiedGradient);
  sum.mutable_collective()->set_group(1);
  sum.mutable_collective()->set_tag(1);
  if (options.fused)
    addSecondHalf(section, *sum.mutable_collective());
  launch(section, "sgd", {{tied, abi::READ_WRITE}, {tiedGradient, abi::READ}},
         {options.width, int64_t(options.rate * 1e6)})
      .set_op("sgd tied");
}

/// Splits a collective of a vector into two fused ones.
void StageBuilder::addSecondHalf(abi::Section &section, abi::Collective &first) {
  int64_t half = options.width / 2;
  first.set_shape(0, half);
  abi::Instruction other = section.instructions(section.instructions_size() - 1);
  other.set_op(other.op() + " half");
  abi::Collective &second = *other.mutable_collective();
  second.set_fused(true);
  second.mutable_source()->set_offset(uint64_t(half) * 4);
  second.mutable_destination()->set_offset(uint64_t(half) * 4);
  *section.add_instructions() = other;
}

void StageBuilder::addUpdate() {
  abi::Section &section = builder.section("update");
  std::vector<uint32_t> reduced;
  for (const Layer &layer : layers) {
    abi::Instruction &instruction = builder.allReduce(section, layer.weightGradient);
    instruction.set_stream(abi::COMMUNICATION);
    bool joins = options.fused && !reduced.empty();
    instruction.mutable_collective()->set_fused(joins);
    if (!joins)
      instruction.add_waits(backwardDone);
    reduced.push_back(signal(instruction));
  }
  for (size_t i = 0; i < layers.size(); ++i)
    launch(section, "sgd",
           {{layers[i].weight, abi::READ_WRITE}, {layers[i].weightGradient, abi::READ}},
           {options.width * options.width, int64_t(options.rate * 1e6)})
        .add_waits(reduced[i]);
  if (options.shares && (isFirst() || isLast()))
    addTied(section);
}

/// 1F1B, stage s of p: p-s-1 forwards first, then a forward and a backward in turn.
void StageBuilder::addSlots() {
  auto add = [&](uint32_t section, int microbatch) {
    abi::Action &action = *builder.program.add_actions();
    action.set_section(section);
    action.set_microbatch(uint32_t(microbatch));
  };
  int ahead = std::min(options.microBatches, options.stages - stage - 1);
  for (int i = 0; i < ahead; ++i)
    add(0, i);
  for (int i = 0; i < options.microBatches; ++i) {
    if (i + ahead < options.microBatches)
      add(0, i + ahead);
    add(1, i);
  }
  add(2, 0);
}

void StageBuilder::addResults() {
  for (size_t i = 0; i < layers.size(); ++i) {
    abi::Result &gradient = *builder.program.add_results();
    gradient.set_name("w" + std::to_string(stage * perStage + int(i)));
    gradient.set_role(abi::GRADIENT);
    *gradient.mutable_block() = builder.whole(abi::F32, {options.width, options.width});
    gradient.set_buffer(layers[i].weightGradient);
    gradient.add_partial_axes(1);
    gradient.set_section(1);
    gradient.set_accumulated(true);
  }
  if (!isLast())
    return;
  abi::Result &total = *builder.program.add_results();
  total.set_name("loss");
  total.set_role(abi::LOSS);
  *total.mutable_block() = builder.whole(abi::F32, {});
  total.set_buffer(lossSum);
  total.add_partial_axes(1);
  total.set_section(1);
  total.set_accumulated(true);
  total.set_own_loss_factor(options.dataRanks);
  abi::Result &output = *builder.program.add_results();
  output.set_name("logits");
  output.set_role(abi::OUTPUT);
  *output.mutable_block() = builder.rows(abi::F32, rows, {options.width});
  output.set_buffer(layers.back().value);
  abi::Metric &accuracy = *builder.program.add_metrics();
  accuracy.set_name("accuracy");
  accuracy.set_kind(abi::Metric::ACCURACY);
  accuracy.set_output(uint32_t(builder.program.results_size()) - 1);
  accuracy.set_label(uint32_t(builder.program.inputs_size()) - 1);
}

ProgramBuilder &StageBuilder::build() {
  addBuffers();
  addForward();
  addBackward();
  addUpdate();
  addSlots();
  addResults();
  return builder;
}

/// Group 0: the ranks of each stage. Group 1: pairs of ranks of the first and the last stage; other
/// ranks are alone in lists of the same length.
void addGroups(const CompileOptions &options, abi::Executable &executable) {
  executable.clear_groups();
  abi::RankGroups &own = *executable.add_groups();
  for (int s = 0; s < options.stages; ++s) {
    abi::RankList &list = *own.add_lists();
    for (int r = 0; r < options.dataRanks; ++r)
      list.add_ranks(uint32_t(s * options.dataRanks + r));
  }
  if (!options.shares)
    return;
  abi::RankGroups &ends = *executable.add_groups();
  int half = options.stages / 2;
  for (int s = 0; s < half; ++s)
    for (int r = 0; r < options.dataRanks; ++r) {
      abi::RankList &list = *ends.add_lists();
      list.add_ranks(uint32_t(s * options.dataRanks + r));
      list.add_ranks(uint32_t((options.stages - 1 - s) * options.dataRanks + r));
    }
}

} // namespace

abi::Executable makePipeline(const CompileOptions &options) {
  abi::Executable executable;
  for (int s = 0; s < options.stages; ++s) {
    StageBuilder stage(options, s);
    ProgramBuilder &builder = stage.build();
    if (s == 0) {
      executable = builder.executable;
      executable.clear_programs();
    }
    *executable.add_programs() = builder.program;
  }
  executable.clear_mesh();
  auto addAxis = [&](const char *name, int size) {
    abi::MeshAxis &axis = *executable.mutable_mesh()->add_axes();
    axis.set_name(name);
    axis.set_size(size);
  };
  addAxis("pp", options.stages);
  addAxis("dp", options.dataRanks);
  addGroups(options, executable);
  executable.mutable_batch()->set_micro_batches(uint32_t(options.microBatches));
  if (options.lastRuns)
    splitLastRuns(executable);
  return executable;
}

} // namespace pcc::test
