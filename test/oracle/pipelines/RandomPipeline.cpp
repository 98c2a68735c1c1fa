// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/pipelines/RandomPipeline.h"

#include "compiler/PipelineShape.h"
#include "runtime/machine/Cluster.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace pcc::test {

bool RandomPipeline::isUsed(size_t value) const {
  return llvm::any_of(
      ops, [&](const GraphOp &user) { return llvm::is_contained(user.operands, value); });
}

static std::string tensor(int64_t rows, int64_t width) {
  return formatv("tensor<{0}x{1}xf32>", rows, width);
}

static std::string parameterType(std::pair<int64_t, int64_t> shape) {
  return shape.second == 0 ? formatv("tensor<{0}xf32>", shape.first).str()
                           : tensor(shape.first, shape.second);
}

/// Returns a text like `{pipe.virtual_stage = 1 : i64, transpose_rhs} `, or nothing.
static std::string attributesOf(const GraphOp &op) {
  std::vector<std::string> parts;
  if (op.chunk >= 0)
    parts.push_back(formatv("pipe.virtual_stage = {0} : i64", op.chunk));
  if (op.recomputes)
    parts.push_back("pipe.recompute");
  if (op.transposes)
    parts.push_back("transpose_rhs");
  return parts.empty() ? "" : "{" + llvm::join(parts, ", ") + "} ";
}

namespace {
/// Writes the body of @forward.
class Writer {
public:
  explicit Writer(const RandomPipeline &program) : program(program) {}

  std::string write();

private:
  std::string typeOf(size_t value) const {
    return tensor(program.setup.batch(), program.widthOf(value));
  }
  void addArgument(const std::string &name, const std::string &type, const char *role);
  void addOp(size_t index);
  std::string addLoss();
  std::string addOutput();
  std::string project(size_t value, size_t number);

  const RandomPipeline &program;
  std::string declarations, arguments, body;
};
} // namespace

void Writer::addArgument(const std::string &name, const std::string &type, const char *role) {
  if (role == std::string("parameter"))
    declarations +=
        "graph.parameter @" + name + " : " + type + " init(#graph.init<uniform, -0.7, 0.7>)\n";
  arguments += formatv("{0}%{1}: {2} {{graph.role = #graph.role<{3} \"{1}\">}",
                       arguments.empty() ? "" : ", ", name, type, role);
}

void Writer::addOp(size_t index) {
  const GraphOp &op = program.ops[index];
  std::string result = formatv("%v{0}", index + program.inputs.size());
  std::string attributes = attributesOf(op), type = tensor(program.setup.batch(), op.width);
  std::string first = formatv("%v{0}", op.operands[0]), read = typeOf(op.operands[0]);
  std::string parameter, shape;
  if (op.parameter >= 0) {
    parameter = formatv("%w{0}", op.parameter);
    shape = parameterType(program.parameters[op.parameter]);
  }
  if (op.name == "matmul")
    body += formatv("  {0} = graph.matmul {1}, {2} {3}: {4}, {5}\n", result, first, parameter,
                    attributes, read, shape);
  else if (op.name == "bias")
    body += formatv("  %b{0} = graph.broadcast {1}, [1] : {2} to {3}\n"
                    "  {4} = graph.add {5}, %b{0} {6}: {3}\n",
                    index, parameter, shape, type, result, first, attributes);
  else if (op.name == "layer_norm")
    body += formatv("  {0} = graph.layer_norm {1}, {2} axis = 1 epsilon = 0.0625 {3}: {4}, {5}\n",
                    result, first, parameter, attributes, type, shape);
  else if (op.name == "softmax")
    body +=
        formatv("  {0} = graph.softmax {1} axis = 1 {2}: {3}\n", result, first, attributes, type);
  else if (op.operands.size() == 2)
    body += formatv("  {0} = graph.{1} {2}, %v{3} {4}: {5}\n", result, op.name, first,
                    op.operands[1], attributes, type);
  else
    body += formatv("  {0} = graph.{1} {2} {3}: {4}\n", result, op.name, first, attributes, type);
}

/// Returns the sum of the mean squares of all values without readers.
std::string Writer::addLoss() {
  std::string loss;
  for (size_t value = program.inputs.size(); value < program.inputs.size() + program.ops.size();
       ++value) {
    if (program.isUsed(value))
      continue;
    body += formatv("  %q{0} = graph.square %v{0} : {1}\n"
                    "  %m{0} = graph.reduce mean %q{0}, [0, 1] : {1}\n",
                    value, typeOf(value));
    if (!loss.empty())
      body += formatv("  %s{0} = graph.add {1}, %m{0} : tensor<f32>\n", value, loss);
    loss = formatv(loss.empty() ? "%m{0}" : "%s{0}", value);
  }
  return loss;
}

/// Projects `value` to scores of all classes.
std::string Writer::project(size_t value, size_t number) {
  std::string name = formatv("p{0}", number);
  std::string type = tensor(program.widthOf(value), program.classes);
  addArgument(name, type, "parameter");
  body += formatv("  %o{0} = graph.matmul %v{1}, %{2} : {3}, {4}\n", number, value, name,
                  typeOf(value), type);
  return formatv("%o{0}", number);
}

/// Returns the sum of the class scores of all values without readers.
std::string Writer::addOutput() {
  std::string output;
  size_t number = 0;
  for (size_t value = program.inputs.size(); value < program.inputs.size() + program.ops.size();
       ++value) {
    if (program.isUsed(value))
      continue;
    std::string scores = project(value, number);
    if (!output.empty())
      body += formatv("  %t{0} = graph.add {1}, {2} : {3}\n", number, output, scores,
                      tensor(program.setup.batch(), program.classes));
    output = output.empty() ? scores : formatv("%t{0}", number).str();
    ++number;
  }
  return output;
}

std::string Writer::write() {
  for (size_t input = 0; input < program.inputs.size(); ++input)
    addArgument(formatv("v{0}", input), typeOf(input), "input");
  for (size_t index = 0; index < program.parameters.size(); ++index) {
    auto reads = [&](const GraphOp &op) { return op.parameter == int(index); };
    if (llvm::any_of(program.ops, reads))
      addArgument(formatv("w{0}", index), parameterType(program.parameters[index]), "parameter");
  }
  for (size_t index = 0; index < program.ops.size(); ++index)
    addOp(index);
  bool hasOutput = program.classes > 0;
  std::string result = hasOutput ? addOutput() : addLoss();
  std::string type =
      hasOutput ? tensor(program.setup.batch(), program.classes) : std::string("tensor<f32>");
  return declarations +
         formatv("func.func @forward({0}) -> ({1} {{graph.role = #graph.role<{2}>}) {{\n{3}  "
                 "return {4} : {1}\n}\n",
                 arguments, type, hasOutput ? "output \"scores\"" : "loss", body, result)
             .str();
}

std::string RandomPipeline::text() const { return Writer(*this).write(); }

std::string PipelineSetup::flags() const {
  std::string text = formatv("--optimizer={0} --device-num={1} --parallel-mode=data_parallel "
                             "--pipeline-stages={2} --virtual-stages={3} --micro-batches={4} "
                             "--interleave-num={5} --pipeline-schedule={6} --micro-reduction={7}",
                             optimizer, stages * ranksPerStage, stages, virtualStages, microBatches,
                             copies, schedule, averages ? "mean" : "sum");
  if (optimizerLevel > 0)
    text += formatv(" --enable-parallel-optimizer --parallel-optimizer-threshold=0 "
                    "--parallel-optimizer-level={0}",
                    optimizerLevel);
  return cluster.empty() ? text : text + " --cluster=" + cluster;
}

CompileOptions PipelineSetup::optionsOfOneDevice() const {
  CompileOptions options;
  abi::ParallelConfig &config = options.parallel;
  config.set_device_num(1);
  config.set_micro_batches(microBatches);
  config.set_interleave_num(copies);
  config.set_micro_reduction(averages ? abi::MICRO_MEAN : abi::MICRO_SUM);
  config.set_gradient_fp32_sync(true);
  config.set_loss_repeated_mean(true);
  config.set_pipeline_stages(1);
  config.set_virtual_stages(1);
  options.training.optimizer = optimizer;
  options.training.microBatches = microBatches;
  options.training.copies = copies;
  options.training.microReduction =
      averages ? pipe::MicroReduction::Mean : pipe::MicroReduction::Sum;
  options.obeysAnnotations = options.obeysStages = false;
  return options;
}

CompileOptions PipelineSetup::options() const {
  CompileOptions options = optionsOfOneDevice();
  options.obeysAnnotations = options.obeysStages = true;
  abi::ParallelConfig &config = options.parallel;
  config.set_parallel_mode(abi::DATA_PARALLEL);
  config.set_device_num(stages * ranksPerStage);
  config.set_pipeline_stages(stages);
  config.set_virtual_stages(virtualStages);
  setSchedule(config, schedule);
  config.set_enable_parallel_optimizer(optimizerLevel > 0);
  config.set_parallel_optimizer_level(std::max(optimizerLevel, 1));
  config.set_parallel_optimizer_threshold(0);
  if (!cluster.empty())
    options.cluster = *machine::parseForm(cluster);
  return options;
}

} // namespace pcc::test
