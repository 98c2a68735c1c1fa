// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Compile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace pcc::conformance {

abi::ParallelMode modeOf(const Case &question) {
  if (question.mode == "semi_auto")
    return abi::SEMI_AUTO_PARALLEL;
  if (question.mode == "data_parallel")
    return abi::DATA_PARALLEL;
  return question.mode == "hybrid_parallel" ? abi::HYBRID_PARALLEL : abi::STAND_ALONE;
}

Compiled compileModel(const std::string &text, const CompileOptions &options, CompilePhase last,
                      MLIRContext &context, llvm::function_ref<void(ModuleOp)> prepare) {
  Compiled compiled;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      compiled.error += (compiled.error.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  compiled.module = parseSourceString<ModuleOp>(text, &context);
  if (compiled.module && prepare)
    prepare(*compiled.module);
  if (compiled.module && failed(runPhases(*compiled.module, options, last)))
    compiled.module = {};
  return compiled;
}

} // namespace pcc::conformance
