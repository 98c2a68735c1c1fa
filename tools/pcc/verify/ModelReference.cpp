// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/verify/ModelReference.h"

#include "compiler/link/Link.h"
#include "tools/pcc/verify/RuntimeTensors.h"

using namespace pcc;
using namespace pcc::cli;
using interpret::NamedTensors;

static constexpr llvm::StringLiteral forwardName = "forward";

interpret::VerifyOptions VerifiedModel::programOptions() {
  interpret::VerifyOptions result = options;
  if (pipeline.parallel.device_num() > 1)
    result.perRankParameters = interpret::findPerRankParameters(*one);
  return result;
}

ExitCode pcc::cli::compileVerified(Session &session, const CompileFlags &compileFlags,
                                   const interpret::VerifyOptions &options, VerifiedModel &model) {
  model.options = options;
  if (ExitCode code = compileFlags.read(model.pipeline))
    return code;
  CompileOptions one = singleRankOptions(model.pipeline);
  ExitCode code;
  mlir::OwningOpRef<mlir::ModuleOp> module = compileFlags.getModel().load(session.context, code);
  if (!module)
    return code;

  model.one = module->clone();
  model.pipeline.observe = [&](CompilePhase phase, mlir::ModuleOp current) -> mlir::LogicalResult {
    if (phase == CompilePhase::Strategy)
      model.options.gradientFactors = interpret::gradientFactors(current);
    if (phase == CompilePhase::Spmd)
      model.local = current.clone();
    return mlir::success();
  };
  if (mlir::failed(runPhases(*model.one, one, CompilePhase::Grad)))
    return BadInput;
  code = compileFlags.compile(*module, model.pipeline, CompilePhase::Llvm);
  if (code != Success)
    return code;
  mlir::FailureOr<abi::Executable> program = link::linkProgram(*module);
  if (mlir::failed(program))
    return BadInput;
  model.program = std::move(*program);
  return Success;
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

bool pcc::cli::hasForward(const VerifiedModel &model) {
  mlir::ModuleOp one = *model.one;
  return bool(one.lookupSymbol<mlir::func::FuncOp>(forwardName));
}

runtime::Expected<ForwardReference> pcc::cli::makeForwardReference(const VerifiedModel &model) {
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
