// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Judge.h"

#include "compiler/import/TestData.h"
#include "compiler/import/files/Locations.h"
#include "compiler/interpret/compare/Bounds.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/RuntimeTensors.h"
#include "compiler/verify/VerifyModel.h"
#include "runtime/execute/Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using pcc::import::FirstError;
using pcc::interpret::bindingKey;
using pcc::interpret::NamedTensors;

namespace pcc::fuzz {
namespace {

constexpr llvm::StringLiteral dataFolder = "/test_data_set_0";

bool writeFile(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return false;
  os << bytes;
  return true;
}

/// Makes options for one device without training.
CompileOptions plainOptions() {
  CompileOptions options;
  options.parallel.set_device_num(1);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  return options;
}

/// Returns false if an element is infinite or NaN: the loss then has no gradient.
bool hasFiniteElements(const values::Tensor &tensor) {
  for (int64_t n = 0; tensor.isFloat() && n < tensor.size(); ++n)
    if (!std::isfinite(tensor[n].f))
      return false;
  return true;
}

/// Returns true if the graph is given infinities or NaNs: by inputs, initializers, or nodes without
/// inputs. Only such a graph may compute a NaN.
bool hasGivenSpecials(const Graph &graph) {
  std::set<std::string> computed;
  for (const onnx::NodeProto &node : graph.nodes)
    if (node.input_size() > 0)
      computed.insert(node.output().begin(), node.output().end());
  return llvm::any_of(graph.values, [&](const Value &value) {
    return !computed.contains(value.name) && !hasFiniteElements(value.data);
  });
}

/// Returns true if a gradient may be NaN: of powers by the exponent for a negative base, and of the
/// length of a row of zeros.
bool mayHaveUndefinedGradients(const Graph &graph) {
  return llvm::any_of(graph.nodes, [](const onnx::NodeProto &node) {
    return node.op_type() == "Pow" || node.op_type() == "ReduceL2";
  });
}

class Judge {
public:
  Judge(const Graph &graph, const std::string &folder, MLIRContext &context)
      : graph(graph), folder(folder), context(context) {}

  Verdict run();

private:
  bool import();
  void runInterpreter();
  void runCpu();
  void train();
  const Value *findPrediction() const;
  OwningOpRef<ModuleOp> importForTraining(const Value &prediction);
  std::unique_ptr<runtime::Session> load(ModuleOp module, const CompileOptions &options,
                                         const std::string &way);
  interpret::TrainingReference makeBatches(ModuleOp one);
  void writeTolerances(const interpret::Bounds &bounds);
  void take(const std::string &way, const interpret::Report &report);
  void fail(const std::string &way, const std::string &reason) {
    if (verdict.passed())
      verdict = {way, reason.empty() ? "failed without an error" : reason, verdict.training};
  }

  const Graph &graph;
  const std::string &folder;
  MLIRContext &context;
  import::TestData data;
  OwningOpRef<ModuleOp> module;
  NamedTensors arguments;
  interpret::Reference reference;
  Verdict verdict;
};

void Judge::take(const std::string &way, const interpret::Report &report) {
  for (const interpret::Case &each : report.cases)
    if (each.status == interpret::CaseStatus::Failed)
      return fail(way, each.name + ": " + each.reason);
}

bool Judge::import() {
  FirstError error(&context);
  std::string model = folder + "/model.onnx";
  auto read = import::readTestData(model, folder + dataFolder.str(), context);
  if (!read)
    return false;
  data = std::move(*read);
  std::set<std::string> known;
  module = import::importForData(model, data, context, known);
  if (!module) {
    fail("import", error.str());
    return false;
  }
  auto made = interpret::forwardArguments(*module, import::listInputs(data, known));
  if (failed(made)) {
    fail("arguments", error.str());
    return false;
  }
  arguments = std::move(*made);
  return true;
}

/// Compares the model with its nodes, each of which was imported and run alone.
void Judge::runInterpreter() {
  FirstError error(&context);
  auto made = interpret::makeReference(*module, "forward", arguments);
  if (failed(made))
    return fail("interpreter", error.str());
  reference = std::move(*made);
  reference.mayBeNaN = hasGivenSpecials(graph);
  NamedTensors nodes;
  for (const std::string &output : graph.outputs)
    nodes[bindingKey(graph::RoleKind::Output, output)] = graph.find(output)->data;
  double factor = interpret::compiledFactor(*module);
  take("nodes", interpret::compareNamed("", reference, nodes, factor));
  writeTolerances(interpret::boundsOf(reference, factor));
}

void Judge::writeTolerances(const interpret::Bounds &bounds) {
  llvm::json::Object tolerances;
  for (const std::string &output : graph.outputs) {
    double tolerance = bounds.at(bindingKey(graph::RoleKind::Output, output)).tolerance;
    tolerances[output] = std::min(tolerance, 1e300); // JSON has no infinity
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(tolerances)) << "\n";
  writeFile(folder + "/tolerances.json", text);
}

/// Compiles and links `module`, and loads the program; returns null after a failure.
std::unique_ptr<runtime::Session> Judge::load(ModuleOp module, const CompileOptions &options,
                                              const std::string &way) {
  FirstError error(&context);
  FailureOr<abi::Executable> program = compile(module, options);
  if (failed(program)) {
    fail(way, error.str());
    return nullptr;
  }
  auto session = runtime::Session::load(std::move(*program), {.threads = 2});
  if (session)
    return std::move(*session);
  fail(way, session.status().describe());
  return nullptr;
}

void Judge::runCpu() {
  OwningOpRef<ModuleOp> copy = module->clone();
  auto session = load(*copy, plainOptions(), "cpu");
  if (!session)
    return;
  auto outputs = session->runForward(verify::withoutPrefix(arguments, "input "));
  if (!outputs)
    return fail("cpu", outputs.status().describe());
  NamedTensors actual;
  for (const auto &[output, value] : *outputs)
    actual[bindingKey(graph::RoleKind::Output, output)] = verify::toInterpreter(value);
  take("cpu", interpret::compareNamed("", reference, actual, interpret::compiledFactor(*module)));
}

/// Returns the output for training, by its mean square: the last float output with rows.
const Value *Judge::findPrediction() const {
  const Value *prediction = nullptr;
  for (const std::string &output : graph.outputs)
    if (const Value *value = graph.find(output); value->data.isFloat() && value->data.getRank() > 0)
      prediction = value;
  return prediction;
}

/// Imports the model for training from a file of its own; returns null after a failure.
OwningOpRef<ModuleOp> Judge::importForTraining(const Value &prediction) {
  FirstError error(&context);
  Graph trained = withInitializers(graph, prediction);
  std::string path = folder + "/training.onnx";
  trained.hasSymbolicDims = false;
  OwningOpRef<ModuleOp> imported;
  if (writeFile(path, trained.toModel().SerializeAsString()))
    imported = import::importOnnx(path, {}, context);
  if (!imported)
    fail("training", error.str());
  return imported;
}

/// Makes batches and parameters from the graph's own values; labels are random.
interpret::TrainingReference Judge::makeBatches(ModuleOp one) {
  interpret::TrainingReference made;
  made.batches = interpret::randomBatches(one, /*steps=*/1, graph.seed);
  for (auto &[key, value] : made.batches.front())
    if (auto own = arguments.find(key); own != arguments.end())
      value = own->second;
  if (auto parameters = interpret::initialParameters(one, graph.seed); succeeded(parameters))
    made.parameters = std::move(*parameters);
  return made;
}

/// Runs one step of stochastic gradient descent, if a parameter can be trained.
void Judge::train() {
  verdict.training = "a value that is not finite";
  for (const Value &value : graph.values)
    if (!hasFiniteElements(value.data))
      return;
  verdict.training = "no output of floats with rows";
  const Value *prediction = findPrediction();
  OwningOpRef<ModuleOp> trained = prediction ? importForTraining(*prediction) : nullptr;
  if (!trained)
    return;
  CompileOptions options = plainOptions();
  options.training.loss = "mse:" + prediction->name;
  options.training.optimizer = "sgd,lr=0.1";
  OwningOpRef<ModuleOp> one = trained->clone();
  {
    FirstError error(&context);
    if (failed(runPhases(*one, options, CompilePhase::Grad))) {
      verdict.training = error.str();
      llvm::StringRef reason = error.str();
      if (!reason.contains("expected at least one trainable parameter") &&
          !reason.contains("expected a trainable parameter that influences the loss"))
        fail("training", error.str());
      return;
    }
  }
  verdict.training = "trained";
  FirstError error(&context);
  interpret::TrainingReference batches = makeBatches(*one);
  interpret::VerifyOptions compared;
  compared.mayBeNaN = mayHaveUndefinedGradients(graph);
  auto expected =
      interpret::makeTrainingReference(*one, batches.batches, batches.parameters, compared);
  if (failed(expected))
    return fail("training", error.str());
  auto session = load(*trained, options, "training");
  if (!session)
    return;
  auto actual = verify::trainOnRanks(*session, *expected);
  if (!actual)
    return fail("training", actual.status().describe());
  take("training", interpret::compareTraining(*expected, *actual, interpret::compiledFactor(*one)));
}

Verdict Judge::run() {
  if (!import()) {
    fail("data", "the files cannot be read");
    return verdict;
  }
  runInterpreter();
  if (verdict.passed())
    runCpu();
  if (verdict.passed())
    train();
  return verdict;
}

} // namespace

std::string Verdict::str() const { return way + "\n" + training + "\n" + reason; }

Verdict Verdict::parse(llvm::StringRef text) {
  auto [way, rest] = text.split('\n');
  auto [training, reason] = rest.split('\n');
  return {way.str(), reason.str(), training.str()};
}

bool writeGraph(const Graph &graph, const std::string &folder) {
  if (llvm::sys::fs::create_directories(folder + dataFolder))
    return false;
  onnx::ModelProto model = graph.toModel();
  auto write = [&](const std::string &name, const google::protobuf::Message &message) {
    return writeFile(folder + name, message.SerializeAsString());
  };
  bool isWritten = write("/model.onnx", model);
  auto writeValues = [&](const auto &infos, const std::string &kind) {
    int64_t number = 0;
    for (const onnx::ValueInfoProto &info : infos)
      isWritten &= write(dataFolder.str() + "/" + kind + "_" + std::to_string(number++) + ".pb",
                         toTensorProto(info.name(), graph.find(info.name())->data));
  };
  writeValues(model.graph().input(), "input");
  writeValues(model.graph().output(), "output");
  return isWritten;
}

Verdict judge(const Graph &graph, const std::string &folder, MLIRContext &context) {
  return Judge(graph, folder, context).run();
}

} // namespace pcc::fuzz
