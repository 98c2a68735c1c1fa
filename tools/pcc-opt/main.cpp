// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes on IR, for tests: `pcc-opt --graph-decompose model.mlir`.

#include "compiler/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/version/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "pcc-opt " << pcc::tools::version() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
  });
  mlir::DialectRegistry registry;
  pcc::registerDialects(registry);
  pcc::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "pcc's pass driver\n", registry));
}
