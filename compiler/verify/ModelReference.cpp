// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/verify/ModelReference.h"

#include "compiler/search/Choices.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/RuntimeTensors.h"

using namespace pcc;
using namespace pcc::verify;
using interpret::NamedTensors;

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

/// Removes everything but the outputs.
static void keepOutputs(interpret::Reference &reference) {
  std::string prefix = interpret::bindingKey(graph::RoleKind::Output, "");
  reference.forEachRun([&](NamedTensors &values) {
    std::erase_if(values, [&](const auto &entry) {
      return !llvm::StringRef(entry.first).starts_with(prefix);
    });
  });
}

runtime::NamedTensors ForwardReference::inputsOf(const abi::Program &program) const {
  runtime::NamedTensors inputs = withoutPrefix(arguments, "input ");
  for (const abi::Input &input : program.inputs()) {
    const auto &shape = input.block().global_shape();
    inputs.try_emplace(input.name(),
                       runtime::Tensor::zeros(input.block().type(), {shape.begin(), shape.end()}));
  }
  return inputs;
}

bool pcc::verify::hasForward(const VerifiedModel &model) {
  mlir::ModuleOp one = *model.one;
  return bool(one.lookupSymbol<mlir::func::FuncOp>(forwardName));
}

runtime::Expected<ForwardReference> pcc::verify::makeForwardReference(const VerifiedModel &model) {
  mlir::ModuleOp one = *model.one;
  auto function = one.lookupSymbol<mlir::func::FuncOp>(forwardName);
  auto arguments = interpret::randomArguments(function, model.options.seed);
  if (mlir::failed(arguments))
    return runtime::Status::badInput("no argument values for 'forward'");
  auto outputs = interpret::makeReference(one, forwardName, *arguments);
  if (mlir::failed(outputs))
    return runtime::Status::badInput("the interpreter cannot run 'forward'");
  keepOutputs(*outputs);
  return ForwardReference{std::move(*arguments), std::move(*outputs)};
}
