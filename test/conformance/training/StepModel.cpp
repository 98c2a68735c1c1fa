// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Operators.h"
#include "test/conformance/training/Step.h"
#include "llvm/ADT/StringSwitch.h"

namespace pcc::conformance {
namespace json = llvm::json;

StepOptions::StepOptions(const Case &question) {
  const json::Object none;
  const json::Object *given = question.object->getObject("options");
  const json::Object &options = given ? *given : none;
  const json::Object *sharding = options.getObject("parallel_optimizer_config");
  const json::Object &config = sharding ? *sharding : none;
  rank = options.getInteger("rank").value_or(0);
  stages = options.getInteger("pipeline_stages").value_or(1);
  ranks = question.devices / stages;
  fullBatch = options.getBoolean("full_batch").value_or(!hasLossPerRank(question));
  gradientsMean = options.getBoolean("gradients_mean").value_or(false);
  lossRepeatedMean = options.getBoolean("loss_repeated_mean").value_or(true);
  shardsOptimizer = options.getBoolean("enable_parallel_optimizer").value_or(false);
  level = 1;
  config.getString("optimizer_level").value_or("level1").drop_front(5).getAsInteger(10, level);
  threshold = config.getInteger("parallel_optimizer_threshold").value_or(64) * 1024;
  limitsShards = config.getInteger("optimizer_weight_shard_size").value_or(-1) > 0;
  const json::Object *named = question.object->getObject("optimizer");
  optimizer =
      llvm::StringSwitch<std::string>(named ? named->getString("name").value_or("") : "Momentum")
          .Case("Momentum", "momentum,lr=0.1,momentum=0.9")
          .Case("Adam", "adam,lr=0.1")
          .Case("AdamWeightDecay", "adam_weight_decay,lr=0.1")
          .Case("Lamb", "lamb,lr=0.1")
          .Default("");
  const json::Array *wraps = question.object->getArray("wrap");
  for (size_t index = 0; wraps && index < wraps->size(); ++index) {
    const json::Array &wrap = *(*wraps)[index].getAsArray();
    if (wrap[0].getAsString() == "GradAccumulationCell" || wrap[0].getAsString() == "PipelineCell")
      slots *= wrap[1].getAsInteger().value_or(1);
    else if (wrap[0].getAsString() == "MicroBatchInterleaved")
      copies *= wrap[1].getAsInteger().value_or(1);
    else
      unknownWrap = wrap[0].getAsString().value_or("").str();
  }
}

bool hasLossPerRank(const Case &question) {
  abi::ParallelMode mode = modeOf(question);
  return mode == abi::DATA_PARALLEL || mode == abi::HYBRID_PARALLEL;
}

static std::string attributesOf(const json::Object &parameter) {
  if (parameter.getBoolean("layerwise_parallel").value_or(false))
    return " {layerwise_parallel}";
  return parameter.getBoolean("parallel_optimizer").value_or(true)
             ? ""
             : " {parallel_optimizer = false}";
}

/// Returns the attributes of a node for the whole batch: the question gives the shape of one
/// microbatch.
static std::optional<json::Object> ofWholeBatch(const Node &node, int64_t slots) {
  std::optional<Shape> shape = node.op == "Reshape" ? node.list("shape") : std::nullopt;
  if (!shape)
    return std::nullopt;
  shape->front() *= slots;
  return json::Object{{"shape", json::Array(*shape)}};
}

/// Writes the nodes after the given `values`, and returns the result of the last one, the loss.
static llvm::Expected<Value> writeNodes(const Case &question, std::map<std::string, Value> &values,
                                        ModelWriter &writer) {
  Value last;
  for (Node node : question.nodes) {
    std::optional<json::Object> whole = ofWholeBatch(node, StepOptions(question).slots);
    if (whole)
      node.attributes = &*whole;
    NodeSites sites;
    Operation operation{node, {}, ModelWriter::strategyOf(node), {}, writer, sites, ""};
    for (const std::string &input : node.inputs)
      operation.operands.push_back(values[input]);
    std::vector<Value> results;
    if (!writeOperator(operation, results))
      return llvm::createStringError("operator '" + node.op + "' is not known here");
    last = values[node.name] = results.front();
  }
  return last;
}

llvm::Expected<std::string> makeStepModel(const Case &question) {
  std::map<std::string, Value> values;
  std::string arguments, declarations;
  auto addArgument = [&](const NamedShape &tensor, const Shape &shape, const std::string &role) {
    Value value{"%" + tensor.name, shape, elementOf(tensor.element)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type() +
                 " {graph.role = #graph.role<" + role + " \"" + tensor.name + "\">}";
    return values[tensor.name] = value;
  };
  for (const NamedShape &parameter : question.parameters) {
    Value value = addArgument(parameter, parameter.shape, "parameter");
    declarations +=
        "graph.parameter @" + parameter.name + " : " + value.type() + " init(#graph.init<zeros>)" +
        attributesOf(*question.object->getObject("params")->getObject(parameter.name)) + "\n";
  }
  bool alone = modeOf(question) == abi::STAND_ALONE;
  for (const NamedShape &input : question.inputs) {
    Shape shape = input.shape;
    if (!alone && !StepOptions(question).fullBatch && !shape.empty())
      shape[0] *= StepOptions(question).ranks;
    addArgument(input, shape, "input");
  }
  ModelWriter writer;
  llvm::Expected<Value> loss = writeNodes(question, values, writer);
  if (!loss)
    return loss.takeError();
  return "module {\n" + declarations + "func.func @forward(" + arguments + ") -> (" + loss->type() +
         " {graph.role = #graph.role<loss>}) {\n" + writer.text() + "return " + loss->name + " : " +
         loss->type() + "\n}\n}\n";
}

} // namespace pcc::conformance
