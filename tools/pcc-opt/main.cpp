// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes on IR, for tests: `pcc-opt --graph-decompose model.mlir`.

#include "compiler/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  pcc::registerDialects(registry);
  pcc::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "pcc's pass driver\n", registry));
}
