// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two calls differ in the last phase and in linking. Only `compile` writes the file of
// checkpoint groups.
#include "compiler/search/CompileProgram.h"

#include "compiler/link/Link.h"
#include "compiler/search/Choices.h"
#include "dialects/graph/Graph.h"
#include "runtime/abi/files/StrategyFile.h"

using namespace mlir;
using namespace pcc;

/// Writes the groups of ranks that hold the same blocks of parameters, if the options name a file
/// for them.
static LogicalResult writeGroups(ModuleOp module, const CompileOptions &options,
                                 const abi::Executable &program) {
  const std::string &path = options.parallel.group_ckpt_save_file();
  if (path.empty())
    return success();
  std::set<std::string> own;
  module.walk([&](graph::ParameterOp parameter) {
    if (parameter.getLayerwiseParallel())
      own.insert(parameter.getSymName().str());
  });
  abi::Status status = abi::writeCheckpointGroups(abi::findCheckpointGroups(program, own), path);
  return status.ok() ? success() : module.emitError() << status.message();
}

FailureOr<abi::Executable> pcc::compile(ModuleOp module, CompileOptions options) {
  if (failed(search::resolveChoices(module, options)) ||
      failed(runPhases(module, options, CompilePhase::Llvm)))
    return failure();
  FailureOr<abi::Executable> program = link::linkProgram(module);
  if (succeeded(program) && failed(writeGroups(module, options, *program)))
    return failure();
  return program;
}

FailureOr<abi::Executable> pcc::compileInstructions(ModuleOp module, CompileOptions options) {
  if (failed(search::resolveChoices(module, options)) ||
      failed(runPhases(module, options, CompilePhase::Task)))
    return failure();
  return link::linkInstructions(module);
}
