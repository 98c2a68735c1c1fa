// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/readers/ModuleContext.h"

#include "compiler/import/files/Locations.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace pcc::fuzz {
namespace {

/// Calls of getContext that share one context.
constexpr int maxCalls = 256;

mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, graph::GraphDialect,
                  dist::DistDialect, pipe::PipeDialect, task::TaskDialect>();
  return registry;
}

struct QuietContext {
  QuietContext() : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
  }

  mlir::MLIRContext context;
  import::DiagnosticPrinter printer{&context, llvm::nulls()};
};

} // namespace

mlir::MLIRContext &getContext() {
  static std::unique_ptr<QuietContext> current;
  static int calls = 0;
  if (!current || ++calls == maxCalls) {
    current = std::make_unique<QuietContext>();
    calls = 0;
  }
  return current->context;
}

} // namespace pcc::fuzz
