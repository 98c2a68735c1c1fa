// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/Programs.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/BufferRings.h"

#include <cmath>
#include <fstream>
#include <sstream>

namespace pcc::test {
namespace {

const char *const kernelNames[] = {
    "softmax_cross_entropy", "relu_backward", "column_sum", "sgd", "slumber", "store_scalars"};

std::string kernelObject() {
  std::ifstream file(PCC_TEST_KERNELS, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

int64_t product(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t chunksOf(int64_t elements) { return (elements + 4095) / 4096; }

} // namespace

ProgramBuilder::ProgramBuilder(int ranks) : ranks(ranks), program(*executable.add_programs()) {
  executable.set_name("test");
  abi::MeshAxis &axis = *executable.mutable_mesh()->add_axes();
  axis.set_name("dp");
  axis.set_size(ranks);
  abi::RankList &all = *executable.add_groups()->add_lists();
  for (int r = 0; r < ranks; ++r)
    all.add_ranks(r);
  for (const char *name : kernelNames) {
    abi::Kernel &kernel = *executable.add_kernels();
    kernel.set_name(name);
    kernel.set_symbol(name);
  }
  executable.mutable_object()->set_elf(kernelObject());
  executable.mutable_batch()->set_micro_batches(1);
  executable.mutable_batch()->set_copies(1);
  executable.mutable_batch()->set_data_ranks(ranks);
}

uint32_t ProgramBuilder::buffer(const std::string &name, abi::Space space, abi::ElementType type,
                                const std::vector<int64_t> &shape) {
  abi::MemoryPlan &memory = *program.mutable_memory();
  uint64_t bytes = product(shape) * abi::elementBytes(type), offset = 0;
  for (const abi::Buffer &other : memory.buffers())
    if (other.space() == space)
      offset = (other.offset() + abi::ringBytes(other) + 63) / 64 * 64;
  abi::Buffer &buffer = *memory.add_buffers();
  buffer.set_name(name);
  buffer.set_space(space);
  buffer.set_offset(offset);
  buffer.set_bytes(bytes);
  buffer.set_type(type);
  buffer.mutable_shape()->Add(shape.begin(), shape.end());
  if (space == abi::PERSISTENT)
    memory.set_persistent_bytes(offset + bytes);
  if (space == abi::TEMPORARY)
    memory.set_temporary_bytes(offset + bytes);
  if (space == abi::INPUT)
    memory.set_input_bytes(offset + bytes);
  return memory.buffers_size() - 1;
}

abi::Block ProgramBuilder::whole(abi::ElementType type, const std::vector<int64_t> &shape) const {
  abi::Block block;
  block.set_type(type);
  for (int64_t extent : shape) {
    block.add_global_shape(extent);
    block.add_local_shape(extent);
    block.add_offsets();
  }
  return block;
}

abi::Block ProgramBuilder::rows(abi::ElementType type, int64_t rows,
                                const std::vector<int64_t> &rowShape) const {
  std::vector<int64_t> shape = {rows};
  shape.insert(shape.end(), rowShape.begin(), rowShape.end());
  abi::Block block = whole(type, shape);
  block.set_local_shape(0, rows / ranks);
  abi::RankExpression::Term &term = *block.mutable_offsets(0)->add_terms();
  term.set_axis(dataAxis);
  term.set_stride(rows / ranks);
  return block;
}

uint32_t ProgramBuilder::parameter(const std::string &name, const std::vector<int64_t> &shape,
                                   double deviation) {
  uint32_t index = buffer(name, abi::PERSISTENT, abi::F32, shape);
  abi::Parameter &parameter = *program.add_parameters();
  parameter.set_name(name);
  *parameter.mutable_block() = whole(abi::F32, shape);
  parameter.set_trainable(true);
  parameter.mutable_initializer()->mutable_normal()->set_deviation(deviation);
  parameter.set_buffer(index);
  return index;
}

uint32_t ProgramBuilder::input(const std::string &name, abi::ElementType type, int64_t rowCount,
                               std::vector<int64_t> rowShape) {
  abi::Input &input = *program.add_inputs();
  input.set_name(name);
  *input.mutable_block() = rows(type, rowCount, rowShape);
  rowShape.insert(rowShape.begin(), rowCount / ranks);
  input.set_buffer(buffer(name, abi::INPUT, type, rowShape));
  return input.buffer();
}

abi::Section &ProgramBuilder::section(const std::string &name) {
  abi::Section &section = *program.add_sections();
  section.set_name(name);
  return section;
}

abi::Instruction &ProgramBuilder::launch(abi::Section &section, const std::string &kernel,
                                         const std::vector<uint32_t> &buffers,
                                         const std::vector<int64_t> &scalars, int64_t trip) {
  abi::Instruction &instruction = *section.add_instructions();
  instruction.set_op(kernel);
  abi::Launch &launch = *instruction.mutable_launch();
  for (size_t k = 0; k < std::size(kernelNames); ++k)
    if (kernel == kernelNames[k])
      launch.set_kernel(uint32_t(k));
  for (uint32_t buffer : buffers)
    launch.add_operands()->set_buffer(buffer);
  for (int64_t scalar : scalars)
    launch.add_scalars()->mutable_expression()->set_constant(scalar);
  launch.set_trip(trip);
  return instruction;
}

abi::Instruction &ProgramBuilder::allReduce(abi::Section &section, uint32_t buffer) {
  abi::Instruction &instruction = *section.add_instructions();
  instruction.set_op("all_reduce " + program.memory().buffers(int(buffer)).name());
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_kind(abi::ALL_REDUCE);
  collective.set_reduction(abi::SUM);
  collective.set_type(abi::F32);
  *collective.mutable_shape() = program.memory().buffers(int(buffer)).shape();
  collective.mutable_source()->set_buffer(buffer);
  collective.mutable_destination()->set_buffer(buffer);
  return instruction;
}

namespace {

/// The buffers of one layer.
struct Layer {
  int64_t in, out;
  uint32_t weight, bias, weightGradient, biasGradient, value, valueGradient;
};

class MlpBuilder {
public:
  explicit MlpBuilder(const MlpOptions &options)
      : options(options), builder(options.ranks), rows(options.batch / options.microBatches),
        localRows(rows / options.ranks) {}

  abi::Executable build();

private:
  void addBuffers();
  void addForward(abi::Section &section);
  void addBackward(abi::Section &section);
  void addUpdate(abi::Section &section);
  void addResults();
  abi::Matmul &matmul(abi::Section &section, const std::string &op, int64_t m, int64_t n, int64_t k,
                      uint32_t a, uint32_t b, uint32_t c);

  const MlpOptions options;
  ProgramBuilder builder;
  const int64_t rows, localRows;
  std::vector<Layer> layers;
  uint32_t image = 0, label = 0, loss = 0, lossSum = 0;
};

abi::Matmul &MlpBuilder::matmul(abi::Section &section, const std::string &op, int64_t m, int64_t n,
                                int64_t k, uint32_t a, uint32_t b, uint32_t c) {
  abi::Instruction &instruction = *section.add_instructions();
  instruction.set_op(op);
  abi::Matmul &matmul = *instruction.mutable_matmul();
  matmul.set_batch(1);
  matmul.set_m(m);
  matmul.set_n(n);
  matmul.set_k(k);
  matmul.set_type(abi::F32);
  matmul.set_result_type(abi::F32);
  matmul.mutable_a()->set_buffer(a);
  matmul.mutable_b()->set_buffer(b);
  matmul.mutable_c()->set_buffer(c);
  return matmul;
}

void MlpBuilder::addBuffers() {
  image = builder.input("image", abi::F32, rows, {options.widths[0]});
  label = builder.input("label", abi::I64, rows, {});
  loss = builder.buffer("loss", abi::TEMPORARY, abi::F32, {});
  lossSum = builder.buffer("loss.sum", abi::PERSISTENT, abi::F32, {});
  for (size_t i = 0; i + 1 < options.widths.size(); ++i) {
    int64_t in = options.widths[i], out = options.widths[i + 1];
    std::string n = std::to_string(i);
    layers.push_back(
        {in, out, builder.parameter("w" + n, {out, in}, std::sqrt(2.0 / double(in))),
         builder.parameter("b" + n, {out}, 0),
         builder.buffer("w" + n + ".grad", abi::PERSISTENT, abi::F32, {out, in}),
         builder.buffer("b" + n + ".grad", abi::PERSISTENT, abi::F32, {out}),
         builder.buffer("h" + n, abi::TEMPORARY, abi::F32, {localRows, out}),
         builder.buffer("h" + n + ".grad", abi::TEMPORARY, abi::F32, {localRows, out})});
  }
}

void MlpBuilder::addForward(abi::Section &section) {
  uint32_t value = image;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer &layer = layers[i];
    abi::Matmul &product = matmul(section, "fc" + std::to_string(i), localRows, layer.out, layer.in,
                                  value, layer.weight, layer.value);
    product.set_transpose_b(true);
    product.mutable_bias()->set_buffer(layer.bias);
    if (i + 1 < layers.size())
      product.set_activation(abi::RELU);
    value = layer.value;
  }
}

void MlpBuilder::addBackward(abi::Section &section) {
  const Layer &last = layers.back();
  builder.launch(section, "softmax_cross_entropy", {last.value, label, loss, last.valueGradient},
                 {localRows, last.out, options.batch});
  abi::Accumulate &sum = *section.add_instructions()->mutable_accumulate();
  sum.mutable_source()->set_buffer(loss);
  sum.mutable_destination()->set_buffer(lossSum);
  sum.set_source_type(abi::F32);
  sum.set_count(1);
  sum.set_accumulation(abi::ADD_AFTER_FIRST);
  for (size_t i = layers.size(); i-- > 0;) {
    const Layer &layer = layers[i];
    std::string n = std::to_string(i);
    abi::Matmul &weight =
        matmul(section, "fc" + n + ".grad_weight", layer.out, layer.in, localRows,
               layer.valueGradient, i ? layers[i - 1].value : image, layer.weightGradient);
    weight.set_transpose_a(true);
    weight.set_accumulation(abi::ADD_AFTER_FIRST);
    uint32_t biasSum = builder.buffer("b" + n + ".sum", abi::TEMPORARY, abi::F32, {layer.out});
    builder.launch(section, "column_sum", {layer.valueGradient, biasSum}, {localRows, layer.out});
    abi::Accumulate &bias = *section.add_instructions()->mutable_accumulate();
    bias.mutable_source()->set_buffer(biasSum);
    bias.mutable_destination()->set_buffer(layer.biasGradient);
    bias.set_source_type(abi::F32);
    bias.set_count(layer.out);
    bias.set_accumulation(abi::ADD_AFTER_FIRST);
    if (i == 0)
      continue;
    matmul(section, "fc" + n + ".grad", localRows, layer.in, layer.out, layer.valueGradient,
           layer.weight, layers[i - 1].valueGradient);
    int64_t count = localRows * layer.in;
    builder.launch(section, "relu_backward", {layers[i - 1].value, layers[i - 1].valueGradient},
                   {count}, chunksOf(count));
  }
}

void MlpBuilder::addUpdate(abi::Section &section) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs; // parameter, gradient
  for (const Layer &layer : layers) {
    pairs.push_back({layer.weight, layer.weightGradient});
    pairs.push_back({layer.bias, layer.biasGradient});
  }
  abi::Section &backward = *builder.program.mutable_sections(1);
  if (options.overlapped)
    backward.mutable_instructions(backward.instructions_size() - 1)
        ->add_signals(uint32_t(pairs.size()));
  for (size_t i = 0; i < pairs.size(); ++i) {
    abi::Instruction &instruction = builder.allReduce(section, pairs[i].second);
    if (options.overlapped) {
      instruction.set_stream(abi::COMMUNICATION);
      instruction.add_waits(uint32_t(pairs.size()));
      instruction.add_signals(uint32_t(i));
    }
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    int64_t count = int64_t(builder.program.memory().buffers(int(pairs[i].first)).bytes() / 4);
    abi::Instruction &instruction =
        builder.launch(section, "sgd", {pairs[i].first, pairs[i].second},
                       {count, int64_t(options.rate * 1e6)}, chunksOf(count));
    if (options.overlapped)
      instruction.add_waits(uint32_t(i));
  }
  builder.program.set_events(options.overlapped ? uint32_t(pairs.size()) + 1 : 0);
}

void MlpBuilder::addResults() {
  abi::Result &total = *builder.program.add_results();
  total.set_name("loss");
  total.set_role(abi::LOSS);
  *total.mutable_block() = builder.whole(abi::F32, {});
  total.set_buffer(lossSum);
  total.add_partial_axes(0);
  total.set_section(1);
  total.set_accumulated(true);
  total.set_own_loss_factor(options.ranks);
  abi::Result &output = *builder.program.add_results();
  output.set_name("logits");
  output.set_role(abi::OUTPUT);
  *output.mutable_block() = builder.rows(abi::F32, rows, {layers.back().out});
  output.set_buffer(layers.back().value);
  for (size_t i = 0; i < layers.size(); ++i) {
    abi::Result &gradient = *builder.program.add_results();
    gradient.set_name("w" + std::to_string(i));
    gradient.set_role(abi::GRADIENT);
    *gradient.mutable_block() = builder.whole(abi::F32, {layers[i].out, layers[i].in});
    gradient.set_buffer(layers[i].weightGradient);
    gradient.add_partial_axes(0);
    gradient.set_section(1);
    gradient.set_accumulated(true);
  }
  abi::Metric &accuracy = *builder.program.add_metrics();
  accuracy.set_name("accuracy");
  accuracy.set_kind(abi::Metric::ACCURACY);
  accuracy.set_output(1);
  accuracy.set_label(1);
  abi::Metric &perplexity = *builder.program.add_metrics();
  perplexity = accuracy;
  perplexity.set_name("perplexity");
  perplexity.set_kind(abi::Metric::PERPLEXITY);
  perplexity.set_on_request(true);
}

abi::Executable MlpBuilder::build() {
  builder.executable.mutable_batch()->set_micro_batches(options.microBatches);
  addBuffers();
  addForward(builder.section("forward"));
  abi::Section &step = builder.section("forward_backward");
  addForward(step);
  addBackward(step);
  addUpdate(builder.section("update"));
  addResults();
  for (int i = 0; i < options.microBatches; ++i) {
    abi::Action &action = *builder.program.add_actions();
    action.set_section(1);
    action.set_microbatch(i);
  }
  builder.program.add_actions()->set_section(2);
  return builder.executable;
}

} // namespace

abi::Executable makeMlp(const MlpOptions &options) { return MlpBuilder(options).build(); }

} // namespace pcc::test
