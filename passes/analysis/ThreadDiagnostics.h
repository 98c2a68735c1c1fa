// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics of one of several threads that compile in one context.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

namespace pcc::analysis {

/// Takes, during its lifetime, the diagnostics of the thread that made it. It leaves those of other
/// threads to their handlers.
class ThreadDiagnostics {
public:
  /// Calls `handle` for each diagnostic; without it, drops them.
  explicit ThreadDiagnostics(mlir::MLIRContext *context,
                             std::function<void(mlir::Diagnostic &)> handle = nullptr)
      : handler(context, [handle = std::move(handle),
                          thread = llvm::get_threadid()](mlir::Diagnostic &diagnostic) {
          if (llvm::get_threadid() != thread)
            return mlir::failure();
          if (handle)
            handle(diagnostic);
          return mlir::success();
        }) {}

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace pcc::analysis
