// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles functions to kernels, runs them, and compares the results with the interpreter's.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <string>
#include <vector>

namespace pcc::test {

/// Target of the kernels' loops.
enum class Loops { Host, Gpu };

class KernelCheck {
public:
  explicit KernelCheck(Loops loops);

  /// Compiles all functions as one program, and compares each with the interpreter, on each of the
  /// CPUs in turn. An empty name is this machine's CPU. `look` receives the compiled program.
  void run(const std::vector<std::string> &functions, uint64_t seed,
           llvm::ArrayRef<std::string> cpus = std::string(),
           const std::function<void(mlir::ModuleOp)> &look = {});

private:
  mlir::OwningOpRef<mlir::ModuleOp> compile(mlir::ModuleOp source);

  mlir::MLIRContext context;
  Loops loops;
};

} // namespace pcc::test
