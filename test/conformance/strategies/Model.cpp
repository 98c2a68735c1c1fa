// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Model.h"

#include "test/conformance/strategies/Operators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

namespace pcc::conformance {

bool isFullBatch(const Case &question) {
  const llvm::json::Object *options = question.object->getObject("options");
  return options && options->getBoolean("full_batch").value_or(false);
}

int64_t rankOf(const Case &question) {
  const llvm::json::Object *options = question.object->getObject("options");
  return options ? options->getInteger("rank").value_or(0) : 0;
}

int64_t countElements(const Case &question) {
  int64_t elements = 0;
  for (const std::vector<NamedShape> *tensors : {&question.inputs, &question.parameters})
    for (const NamedShape &tensor : *tensors)
      elements += std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t(1),
                                  std::multiplies<>());
  return isFullBatch(question) ? elements : elements * question.devices;
}

namespace {

class GraphWriter {
public:
  explicit GraphWriter(const Case &question) : question(question) {}

  Model write() {
    for (const NamedShape &parameter : question.parameters)
      addArgument(parameter, "parameter", parameter.shape);
    for (const NamedShape &input : question.inputs) {
      Shape shape = input.shape;
      if (!isFullBatch(question) && !shape.empty())
        shape[0] *= question.devices;
      addArgument(input, "input", shape);
    }
    for (const Node &node : question.nodes)
      if (!writeNode(node))
        return Model{"", "", {}, node.op};
    model.text = finish(outputs(), "output");
    model.trainingText = finish({sumUp()}, "loss");
    return std::move(model);
  }

private:
  void addArgument(const NamedShape &tensor, const std::string &role, const Shape &shape) {
    Value value{"%" + tensor.name, shape, elementOf(tensor.element)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type() +
                 " {graph.role = #graph.role<" + role + " \"" + tensor.name + "\">}";
    if (role == "parameter")
      declarations += "graph.parameter @" + tensor.name + " : " + value.type() +
                      " init(#graph.init<zeros>)" +
                      (isTrainable(tensor.name) ? "" : " {trainable = false}") + "\n";
    values[tensor.name] = value;
  }

  bool isTrainable(const std::string &parameter) const {
    const llvm::json::Object *all = question.object->getObject("params");
    return all->getObject(parameter)->getBoolean("grad").value_or(true);
  }

  bool writeNode(const Node &node) {
    Operation operation{node,
                        {},
                        ModelWriter::strategyOf(node),
                        ModelWriter::strategyOf(node, "out_strategy"),
                        writer,
                        model.nodes[node.name],
                        ""};
    operation.sites.isScattered = operation.outStrategy.has_value();
    for (const std::string &input : node.inputs)
      operation.operands.push_back(values[input]);
    std::vector<Value> results;
    if (!writeOperator(operation, results))
      return false;
    values[node.name] = results.front();
    for (auto [index, result] : llvm::enumerate(results)) {
      values[node.name + ":" + std::to_string(index)] = result;
      operation.sites.results.push_back({node.name, unsigned(index)});
    }
    return true;
  }

  std::vector<Value> outputs() {
    std::vector<Value> all;
    for (const llvm::json::Value &name : *question.object->getArray("outputs"))
      all.push_back(values[name.getAsString().value_or("").str()]);
    return all;
  }

  /// Adds up the squares of all outputs in f32.
  Value sumUp() {
    Value total;
    for (auto [index, output] : llvm::enumerate(outputs())) {
      std::string name = "output_" + std::to_string(index);
      Value value = output, wide{"", value.shape};
      if (value.element != wide.element)
        value = writer.write(name + "_wide", "cast", value.name,
                             value.type() + " to " + wide.type(), value.shape);
      Shape dims(value.shape.size());
      std::iota(dims.begin(), dims.end(), 0);
      value = writer.write(name + "_square", "square", value.name, value.type(), value.shape);
      value = writer.write(name + "_sum", "reduce", "sum " + value.name + ", " + toText(dims),
                           value.type(), {});
      total = index == 0 ? value
                         : writer.write(name + "_total", "add", total.name + ", " + value.name,
                                        value.type(), {});
    }
    return total;
  }

  std::string finish(const std::vector<Value> &results, const std::string &role) const {
    auto type = [&](const Value &result) {
      size_t index = &result - results.data();
      std::string name = role == "loss" ? "" : " \"" + std::to_string(index) + "\"";
      return result.type() + " {graph.role = #graph.role<" + role + name + ">}";
    };
    auto types = llvm::map_range(results, [](const Value &result) { return result.type(); });
    auto names = llvm::map_range(results, [](const Value &result) { return result.name; });
    return "module {\n" + declarations + "func.func @forward(" + arguments + ") -> (" +
           llvm::join(llvm::map_range(results, type), ", ") + ") {\n" + writer.text() + "return " +
           llvm::join(names, ", ") + " : " + llvm::join(types, ", ") + "\n}\n}\n";
  }

  const Case &question;
  Model model;
  ModelWriter writer;
  std::string arguments, declarations;
  std::map<std::string, Value> values;
};

} // namespace

Model makeModel(const Case &question) { return GraphWriter(question).write(); }

} // namespace pcc::conformance
