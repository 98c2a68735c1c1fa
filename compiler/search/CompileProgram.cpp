// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/search/CompileProgram.h"

#include "compiler/link/Link.h"
#include "compiler/search/Choices.h"

using namespace mlir;
using namespace pcc;

FailureOr<abi::Executable> pcc::compile(ModuleOp module, CompileOptions options) {
  if (failed(search::resolveChoices(module, options)) ||
      failed(runPhases(module, options, CompilePhase::Llvm)))
    return failure();
  return link::linkProgram(module);
}

FailureOr<abi::Executable> pcc::compileInstructions(ModuleOp module, CompileOptions options) {
  if (failed(search::resolveChoices(module, options)) ||
      failed(runPhases(module, options, CompilePhase::Task)))
    return failure();
  return link::linkInstructions(module);
}
