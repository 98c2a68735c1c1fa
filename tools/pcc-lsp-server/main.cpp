// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Language server for .mlir files with pcc's dialects: completion, hover, diagnostics while typing.

#include "compiler/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  pcc::registerDialects(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
