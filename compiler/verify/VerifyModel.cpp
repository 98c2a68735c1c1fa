// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the model twice: for one device up to phase grad, and for its ranks. Observing phase
// spmd of the second compilation gives the program of a rank. The same bounds serve comparisons and
// golden results.
#include "compiler/verify/VerifyModel.h"

#include "compiler/interpret/compare/Bounds.h"
#include "compiler/search/Choices.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/RuntimeTensors.h"
#include "runtime/abi/files/GoldenFile.h"
#include "runtime/abi/program/ProgramInterface.h"

using namespace pcc;
using namespace pcc::verify;
using interpret::bindingKey;
using interpret::NamedTensors;
using interpret::Report;

static constexpr llvm::StringLiteral forwardName = "forward";

interpret::VerifyOptions VerifiedModel::programOptions() {
  interpret::VerifyOptions result = options;
  if (pipeline.parallel.device_num() > 1)
    result.perRankParameters = interpret::findPerRankParameters(*one);
  return result;
}

mlir::LogicalResult pcc::verify::compileVerified(mlir::ModuleOp module,
                                                 const CompileOptions &pipeline,
                                                 const interpret::VerifyOptions &options,
                                                 VerifiedModel &model) {
  model.options = options;
  model.pipeline = pipeline;
  if (mlir::failed(search::resolveChoices(module, model.pipeline)))
    return mlir::failure();
  model.one = module.clone();
  CompileOptions one = getSingleRankOptions(model.pipeline);
  one.observe = nullptr;
  if (mlir::failed(runPhases(*model.one, one, CompilePhase::Grad)))
    return mlir::failure();
  CompileOptions observed = model.pipeline;
  observed.observe = [&](CompilePhase phase, mlir::ModuleOp current) -> mlir::LogicalResult {
    if (phase == CompilePhase::Strategy)
      model.options.gradientFactors = interpret::gradientFactors(current);
    if (phase == CompilePhase::Spmd)
      model.local = current.clone();
    return pipeline.observe ? pipeline.observe(phase, current) : mlir::success();
  };
  mlir::FailureOr<abi::Executable> program = compile(module, std::move(observed));
  if (mlir::succeeded(program))
    model.program = std::move(*program);
  return program;
}

namespace {

//===--- Reference of one device -----------------------------------------===//

/// Arguments of the function `forward`, and the outputs of one device for them.
struct ForwardReference {
  interpret::NamedTensors arguments;
  /// Only the outputs, because an evaluation reads back nothing else; a model may also have a loss.
  interpret::Reference outputs;

  /// Returns the inputs among the arguments by name, and zeros for inputs that only training reads
  /// (labels): the runtime expects all of them.
  runtime::NamedTensors inputsOf(const abi::Program &program) const;
};

runtime::NamedTensors ForwardReference::inputsOf(const abi::Program &program) const {
  runtime::NamedTensors inputs = withoutPrefix(arguments, "input ");
  for (const abi::Input &input : program.inputs()) {
    const auto &shape = input.block().global_shape();
    inputs.try_emplace(input.name(),
                       runtime::Tensor::zeros(input.block().type(), {shape.begin(), shape.end()}));
  }
  return inputs;
}

/// Returns whether the model has a function `forward`.
bool hasForward(const VerifiedModel &model) {
  mlir::ModuleOp one = *model.one;
  return bool(one.lookupSymbol<mlir::func::FuncOp>(forwardName));
}

/// Removes everything but the outputs.
void keepOutputs(interpret::Reference &reference) {
  std::string prefix = interpret::bindingKey(graph::RoleKind::Output, "");
  reference.forEachRun([&](NamedTensors &values) {
    std::erase_if(values, [&](const auto &entry) {
      return !llvm::StringRef(entry.first).starts_with(prefix);
    });
  });
}

/// Runs `forward` on seeded arguments. The error says why it cannot run.
runtime::Expected<ForwardReference> makeForwardReference(const VerifiedModel &model) {
  mlir::ModuleOp one = *model.one;
  auto function = one.lookupSymbol<mlir::func::FuncOp>(forwardName);
  auto arguments = interpret::randomArguments(function, model.options.seed);
  if (mlir::failed(arguments))
    return runtime::Status::badInput("no argument values for 'forward'");
  auto outputs = interpret::makeReference(one, forwardName, *arguments);
  if (mlir::failed(outputs))
    return runtime::Status::badInput("the interpreter cannot run 'forward'");
  keepOutputs(*outputs);
  outputs->mayBeNaN = model.options.mayBeNaN;
  return ForwardReference{std::move(*arguments), std::move(*outputs)};
}

//===--- Comparison with one device --------------------------------------===//

Report failedCase(std::string name, std::string reason) {
  return {{{std::move(name), interpret::CaseStatus::Failed, std::move(reason)}}};
}

Report prefixed(llvm::StringRef prefix, Report report) {
  for (interpret::Case &entry : report.cases)
    entry.name = (prefix + entry.name).str();
  return report;
}

Report verifyForward(const VerifiedModel &model, runtime::Session &session) {
  if (!hasForward(model))
    return {};
  auto reference = makeForwardReference(model);
  if (!reference)
    return failedCase("forward", reference.status().message());
  for (const auto &[parameter, value] : withoutPrefix(reference->arguments, "parameter "))
    if (runtime::Status status = session.setParameter(parameter, value); !status.ok())
      return failedCase("forward", status.describe());
  auto outputs = session.runForward(reference->inputsOf(session.program()));
  if (!outputs)
    return failedCase("forward", outputs.status().describe());
  NamedTensors actual;
  for (const auto &[output, value] : *outputs)
    actual[bindingKey(graph::RoleKind::Output, output)] = toInterpreter(value);
  return interpret::compareNamed("forward: ", reference->outputs, actual,
                                 interpret::compiledFactor(*model.one));
}

//===--- Golden results --------------------------------------------------===//

abi::GoldenTensor toMessage(llvm::StringRef name, const runtime::Tensor &tensor) {
  abi::GoldenTensor message;
  message.set_name(name.str());
  message.set_type(tensor.type);
  message.mutable_shape()->Assign(tensor.shape.begin(), tensor.shape.end());
  message.set_data(tensor.data.data(), tensor.data.size());
  return message;
}

template <typename Messages> void addAll(const runtime::NamedTensors &tensors, Messages &messages) {
  for (const auto &[name, tensor] : tensors)
    *messages.Add() = toMessage(name, tensor);
}

/// Maps the prefix of a case's name to the kind of its result.
struct KindRow {
  llvm::StringLiteral prefix;
  abi::GoldenKind kind;
};

constexpr KindRow kinds[] = {
    {"gradient ", abi::GOLDEN_GRADIENT},
    {"updated parameter ", abi::GOLDEN_PARAMETER},
    {"output ", abi::GOLDEN_OUTPUT},
};

/// Converts a case; `key` is its name: "step 1 loss", "gradient w", …
abi::GoldenResult toMessage(llvm::StringRef key, const interpret::Bound &bound) {
  abi::GoldenResult result;
  result.set_tolerance(bound.tolerance);
  llvm::StringRef name = key;
  uint32_t step;
  if (name.consume_front("step ") && !name.consumeInteger(10, step) && name == " loss") {
    result.set_kind(abi::GOLDEN_LOSS);
    result.set_step(step);
    *result.mutable_value() = toMessage("", toRuntime(bound.value));
    return result;
  }
  name = key;
  for (const KindRow &row : kinds)
    if (name.consume_front(row.prefix)) {
      result.set_kind(row.kind);
      break;
    }
  *result.mutable_value() = toMessage(name, toRuntime(bound.value));
  return result;
}

void addResults(const interpret::Bounds &bounds, abi::GoldenResults &golden) {
  for (const auto &[key, bound] : bounds)
    *golden.add_results() = toMessage(key, bound);
}

/// Adds the initial parameters of a run; both runs agree, because values depend only on seed and
/// name.
void addParameters(const interpret::NamedTensors &values, runtime::NamedTensors &parameters) {
  for (auto &[name, value] : withoutPrefix(values, "parameter "))
    parameters[name] = value;
}

} // namespace

runtime::Expected<Report> pcc::verify::verifyModel(VerifiedModel model) {
  Report report =
      prefixed("interpreter: ", interpret::verifyModules(*model.one, *model.local, model.options));
  auto ranks = runtime::Session::load(std::move(model.program), {.seed = model.options.seed});
  if (!ranks)
    return ranks.status();
  std::string device = model.pipeline.gpuChip.empty() ? "cpu: " : "gpu: ";
  report.append(prefixed(device, verifyForward(model, **ranks)));
  if (model.pipeline.trains())
    report.append(prefixed(device, verifyTraining(*model.one, **ranks, model.programOptions())));
  return report;
}

runtime::Expected<abi::GoldenResults> pcc::verify::computeGoldenResults(VerifiedModel &model) {
  abi::GoldenResults golden;
  runtime::NamedTensors parameters;
  double factor = interpret::compiledFactor(*model.one);
  if (hasForward(model)) {
    auto forward = makeForwardReference(model);
    if (!forward)
      return forward.status();
    addParameters(forward->arguments, parameters);
    addAll(forward->inputsOf(abi::programInterface(model.program)),
           *golden.mutable_forward_inputs());
    addResults(interpret::boundsOf(forward->outputs, factor), golden);
  }
  if (model.pipeline.trains()) {
    auto training = interpret::makeTrainingReference(*model.one, model.programOptions());
    if (mlir::failed(training))
      return runtime::Status::badInput("the interpreter cannot run the step");
    addParameters(training->parameters, parameters);
    for (const interpret::NamedTensors &batch : training->batches)
      addAll(withoutPrefix(batch, "input "), *golden.add_batches()->mutable_inputs());
    addResults(interpret::boundsOf(*training, factor), golden);
  }
  addAll(parameters, *golden.mutable_parameters());
  if (runtime::Status status = abi::validate(golden); !status.ok())
    return status;
  return golden;
}
