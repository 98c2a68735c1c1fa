// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/VerifyModel.h"

#include "compiler/interpret/Map.h"
#include "compiler/interpret/Training.h"
#include "compiler/link/Link.h"
#include "runtime/execute/Session.h"
#include "tools/pcc/RuntimeTensors.h"

using namespace pcc;
using namespace pcc::cli;
using interpret::bindingKey;
using interpret::NamedTensors;
using interpret::Report;

namespace {

Report failedCase(std::string name, std::string reason) {
  return {{{std::move(name), interpret::CaseStatus::Failed, std::move(reason)}}};
}

Report prefixed(llvm::StringRef prefix, Report report) {
  for (interpret::Case &entry : report.cases)
    entry.name = (prefix + entry.name).str();
  return report;
}

/// A sum over slots lies in f32; the update reads it in the type of `like`.
interpret::Tensor asRead(const interpret::Tensor &sum, const interpret::Tensor &like) {
  return interpret::generate(like.getType(), sum.getShape(), [&](int64_t n) { return sum[n]; })
      .rounded(interpret::Precision::Element);
}

/// The same steps as the reference's, on the ranks of this machine.
runtime::Expected<interpret::TrainingResult>
trainOnRanks(runtime::Session &session, const interpret::TrainingReference &reference) {
  for (const auto &[name, value] : withoutPrefix(reference.parameters, "parameter "))
    if (runtime::Status status = session.setParameter(name, value); !status.ok())
      return status;
  interpret::TrainingResult result;
  for (const NamedTensors &batch : reference.batches) {
    auto step = session.runStep(withoutPrefix(batch, "input "));
    if (!step)
      return step.status();
    result.losses.push_back(
        interpret::Tensor::floats(interpret::ElementType::F32, {}, {step->loss}));
    for (const auto &[name, gradient] : step->gradients) {
      std::string key = bindingKey(graph::RoleKind::Gradient, name);
      result.results[key] = asRead(toInterpreter(gradient), reference.values.results.at(key));
    }
  }
  for (const auto &[key, value] : reference.parameters) {
    auto updated = session.parameter(llvm::StringRef(key).drop_front(strlen("parameter ")).str());
    if (!updated)
      return updated.status();
    result.parameters[key] = toInterpreter(*updated);
  }
  return result;
}

Report verifyTraining(mlir::ModuleOp one, runtime::Session &session,
                      const interpret::VerifyOptions &options) {
  auto reference = interpret::makeTrainingReference(one, options);
  if (mlir::failed(reference))
    return failedCase("training", "the interpreter cannot run the step");
  auto actual = trainOnRanks(session, *reference);
  if (!actual)
    return failedCase("training", actual.status().describe());
  return interpret::compareTraining(*reference, *actual, interpret::compiledFactor(one));
}

/// Zeros for the inputs that only training reads (labels): the device side wants all of them.
void addUnread(runtime::NamedTensors &inputs, const abi::Program &program) {
  for (const abi::Input &input : program.inputs()) {
    const auto &shape = input.block().global_shape();
    inputs.try_emplace(input.name(),
                       runtime::Tensor::zeros(input.block().type(), {shape.begin(), shape.end()}));
  }
}

/// Leaves the outputs, which are what an evaluation reads back; a model may have a loss as well.
void keepOutputs(interpret::Reference &reference) {
  std::string prefix = bindingKey(graph::RoleKind::Output, "");
  for (NamedTensors *values :
       {&reference.values, &reference.doubles, &reference.disturbed[0], &reference.disturbed[1]})
    std::erase_if(*values, [&](const auto &entry) {
      return !llvm::StringRef(entry.first).starts_with(prefix);
    });
}

Report verifyForward(mlir::ModuleOp one, runtime::Session &session,
                     const interpret::VerifyOptions &options) {
  constexpr llvm::StringLiteral name = "forward";
  auto function = one.lookupSymbol<mlir::func::FuncOp>(name);
  if (!function)
    return {};
  auto arguments = interpret::randomArguments(function, options.seed);
  if (mlir::failed(arguments))
    return failedCase(name.str(), "there are no values for its arguments");
  auto reference = interpret::makeReference(one, name, *arguments);
  if (mlir::failed(reference))
    return failedCase(name.str(), "the interpreter cannot run it");

  keepOutputs(*reference);
  for (const auto &[parameter, value] : withoutPrefix(*arguments, "parameter "))
    if (runtime::Status status = session.setParameter(parameter, value); !status.ok())
      return failedCase(name.str(), status.describe());
  runtime::NamedTensors inputs = withoutPrefix(*arguments, "input ");
  addUnread(inputs, session.program());
  auto outputs = session.runForward(inputs);
  if (!outputs)
    return failedCase(name.str(), outputs.status().describe());
  NamedTensors actual;
  for (const auto &[output, value] : *outputs)
    actual[bindingKey(graph::RoleKind::Output, output)] = toInterpreter(value);
  return interpret::compareNamed("forward: ", *reference, actual, interpret::compiledFactor(one));
}

} // namespace

Report pcc::cli::verifyModel(Session &session, const RoadFlags &road,
                             const interpret::VerifyOptions &options, ExitCode &code) {
  PipelineOptions many;
  code = road.read(many);
  if (code != Success)
    return {};
  PipelineOptions one = oneRank(many);
  mlir::OwningOpRef<mlir::ModuleOp> module = road.getModel().load(session.context, code);
  if (!module)
    return {};

  // One device, and the rank's program with the factors that it applies to its gradients.
  mlir::OwningOpRef<mlir::ModuleOp> reference = module->clone(), local;
  interpret::VerifyOptions withFactors = options;
  many.observe = [&](Stage stage, mlir::ModuleOp current) -> mlir::LogicalResult {
    if (stage == Stage::Strategy)
      withFactors.gradientFactors = interpret::gradientFactors(current);
    if (stage == Stage::Spmd)
      local = current.clone();
    return mlir::success();
  };
  code = mlir::failed(runPipeline(*reference, one, Stage::Grad))
             ? BadInput
             : road.compile(*module, many, Stage::Llvm);
  if (code != Success)
    return {};
  mlir::FailureOr<abi::Executable> program = link::linkProgram(*module);
  if (mlir::failed(program)) {
    code = BadInput;
    return {};
  }

  Report report =
      prefixed("interpreter: ", interpret::verifyModules(*reference, *local, withFactors));
  auto ranks = runtime::Session::load(std::move(*program), {.seed = options.seed});
  if (!ranks) {
    code = fail(ExitCode(ranks.status().exitCode()), ranks.status().describe());
    return {};
  }
  if (many.parallel.device_num() > 1)
    withFactors.ownParameters = interpret::findOwnParameters(*reference);
  std::string device = many.gpuChip.empty() ? "cpu: " : "gpu: ";
  report.append(prefixed(device, verifyForward(*reference, **ranks, withFactors)));
  if (many.trains())
    report.append(prefixed(device, verifyTraining(*reference, **ranks, withFactors)));
  return report;
}
