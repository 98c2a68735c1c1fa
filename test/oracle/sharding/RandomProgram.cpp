// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/RandomProgram.h"

#include "dialects/graph/Graph.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Parser/Parser.h"
#include "test/oracle/sharding/OneDevice.h"
#include "test/oracle/sharding/Partitioned.h"

using namespace mlir;
using pcc::dist::Mesh;

namespace pcc::test {

size_t RandomProgram::countArguments() const {
  return llvm::count_if(values, [](const ModelValue &value) { return value.op.empty(); });
}

bool RandomProgram::isUsed(size_t value) const {
  return llvm::any_of(
      values, [&](const ModelValue &user) { return llvm::is_contained(user.operands, value); });
}

static std::string nameOf(size_t value) { return "%v" + std::to_string(value); }

/// Returns the op's text, for example `graph.add %v1, %v2 : …`.
static std::string opText(const ModelValue &value) {
  std::string text = "graph.";
  for (char letter : value.op) {
    bool isName = text.back() == '@';
    if (isName) {
      text.pop_back();
      text += nameOf(value.operands[letter - '0']);
    } else {
      text += letter;
    }
  }
  return text;
}

/// Adds the mean of the squares of all elements of `value` to `loss`; returns the name of the sum.
/// A plain mean would be constant for a softmax.
static std::string addMean(std::string &text, const RandomProgram &program, size_t value,
                           const std::string &loss) {
  std::string number = std::to_string(value), mean = "%mean" + number, sum = "%sum" + number;
  const std::string &type = program.values[value].type;
  std::string dims;
  for (int64_t dim = 0; dim < llvm::count(type, 'x'); ++dim)
    dims += (dim ? ", " : "") + std::to_string(dim);
  text += "  %square" + number + " = graph.square " + nameOf(value) + " : " + type + "\n";
  text +=
      "  " + mean + " = graph.reduce mean %square" + number + ", [" + dims + "] : " + type + "\n";
  if (loss.empty())
    return mean;
  text += "  " + sum + " = graph.add " + loss + ", " + mean + " : tensor<f32>\n";
  return sum;
}

std::string RandomProgram::str() const {
  std::string parameters, arguments, body, loss;
  for (auto [index, value] : llvm::enumerate(values)) {
    std::string name = "v" + std::to_string(index);
    if (!value.op.empty()) {
      if (value.strategy)
        body += "  // " + strategyText(*value.strategy) + "\n";
      body += "  " + nameOf(index);
      if (value.numResults > 1)
        body += ":" + std::to_string(value.numResults);
      body += " = " + opText(value) + "\n";
      continue;
    }
    if (value.isParameter)
      parameters += "graph.parameter @" + name + " : " + value.type +
                    " init(#graph.init<uniform, -1.0, 1.0>)\n";
    arguments += (arguments.empty() ? "" : ", ") + nameOf(index) + ": " + value.type +
                 " {graph.role = #graph.role<" + (value.isParameter ? "parameter" : "input") +
                 " \"" + name + "\">}";
  }
  for (size_t index = countArguments(); index < values.size(); ++index)
    if (!isUsed(index) && StringRef(values[index].type).ends_with("f32>"))
      loss = addMean(body, *this, index, loss);
  std::string where = "// on " + mesh.str();
  if (gradientSeed)
    where += ", strategies of the derivative from seed " + std::to_string(*gradientSeed);
  return where + "\n" + parameters + "func.func @forward(" + arguments +
         ") -> (tensor<f32> {graph.role = #graph.role<loss>}) {\n" + body + "  return " + loss +
         " : tensor<f32>\n}\n";
}

/// Returns the ops of the values of `program` in each function of `module`, with their strategies.
static llvm::DenseMap<Operation *, Strategy> findGiven(const RandomProgram &program,
                                                       ModuleOp module) {
  llvm::DenseMap<Operation *, Strategy> given;
  module.walk([&](Operation *op) {
    auto index = dyn_cast_or_null<IntegerAttr>(op->removeAttr("check.value"));
    if (index && program.values[index.getInt()].strategy)
      given[op] = *program.values[index.getInt()].strategy;
  });
  return given;
}

/// Annotates the op of each value with the value's number.
static void markValues(const RandomProgram &program, ModuleOp module) {
  size_t index = program.countArguments();
  for (Operation &op : module.lookupSymbol<func::FuncOp>("forward").getBody().front()) {
    if (index == program.values.size())
      return;
    op.setAttr("check.value", Builder(op.getContext()).getI64IntegerAttr(index++));
  }
}

/// Adds strategies for a quarter of the backward ops.
static void giveGradients(const RandomProgram &program, ModuleOp module,
                          llvm::DenseMap<Operation *, Strategy> &given) {
  std::mt19937_64 random(*program.gradientSeed);
  for (Operation &op : module.lookupSymbol<func::FuncOp>("forward_backward").getBody().front())
    if (isa<FactorRuleOpInterface>(op) && !given.contains(&op) && random() % 4 == 0)
      given[&op] = pickStrategy(&op, program.mesh, random);
}

/// Differentiates the module. Returns the error; empty: none.
static std::string findError(ModuleOp module) {
  std::string error;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      error += diagnostic.str();
    return success();
  });
  if (failed(differentiate(module)) && error.empty())
    error = "has no gradients";
  return error;
}

std::optional<std::string> findDifference(const RandomProgram &program) {
  std::unique_ptr<MLIRContext> context = makeContext();
  context->allowUnregisteredDialects(); // for the annotations
  auto module = parseSourceString<ModuleOp>(program.str(), context.get());
  if (!module)
    return "does not parse";
  markValues(program, *module);
  if (std::string error = findError(*module); !error.empty())
    return StringRef(error).contains("influences the loss") ? std::nullopt : std::optional(error);
  llvm::DenseMap<Operation *, Strategy> given = findGiven(program, *module);
  if (program.gradientSeed)
    giveGradients(program, *module, given);
  OneDevice device(*module, /*seed=*/1);
  if (!device.hasNumbers())
    return std::nullopt;
  interpret::Report report = device.compareSplit(program.mesh, given);
  return report.passed() ? "" : reportText(report);
}

/// Returns the program without the op of `value`. Users of the value take another value of its
/// type. Returns nothing if there is no such value, or if users may need further results.
static std::optional<RandomProgram> dropOp(const RandomProgram &program, size_t value) {
  const std::vector<ModelValue> &values = program.values;
  size_t other = 0;
  while (other < value && values[other].type != values[value].type)
    ++other;
  if ((other == value || values[value].numResults > 1) && program.isUsed(value))
    return std::nullopt;
  RandomProgram smaller = program;
  smaller.values.erase(smaller.values.begin() + value);
  if (smaller.countArguments() == smaller.values.size())
    return std::nullopt;
  for (ModelValue &user : smaller.values)
    for (size_t &operand : user.operands)
      operand = operand == value ? other : operand > value ? operand - 1 : operand;
  return smaller;
}

/// Returns true if the text of `program` parses; it does not parse once no float is left.
static bool isProgram(const RandomProgram &program) {
  std::unique_ptr<MLIRContext> context = makeContext();
  ScopedDiagnosticHandler quiet(context.get(), [](Diagnostic &) { return success(); });
  return bool(parseSourceString<ModuleOp>(program.str(), context.get()));
}

/// Replaces `program` by `smaller` if it still differs.
static bool accept(RandomProgram &program, std::optional<RandomProgram> smaller) {
  if (!smaller || !isProgram(*smaller) || findDifference(*smaller).value_or("").empty())
    return false;
  program = std::move(*smaller);
  return true;
}

RandomProgram shrink(RandomProgram program) {
  RandomProgram plain = program;
  plain.gradientSeed.reset();
  accept(program, plain);
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t value = program.values.size(); value-- > program.countArguments();)
      changed |= accept(program, dropOp(program, value));
    for (size_t value = 0; value < program.values.size(); ++value) {
      if (!program.values[value].strategy)
        continue;
      RandomProgram smaller = program;
      smaller.values[value].strategy.reset();
      changed |= accept(program, smaller);
    }
  }
  return program;
}

} // namespace pcc::test
