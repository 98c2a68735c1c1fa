// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/report/WriteModule.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;

/// Inline constants of more elements, and resources of more bytes, are elided on stdout.
static constexpr int64_t maxShownSize = 64;

static bool isFile(llvm::StringRef path) { return !path.empty() && path != "-"; }

static ExitCode write(mlir::ModuleOp module, llvm::StringRef path, mlir::OpPrintingFlags flags) {
  return writeResult(path, [&](llvm::raw_ostream &os) {
    if (path.ends_with(".mlirbc")) {
      (void)mlir::writeBytecodeToFile(module, os); // fails only for versions that we do not request
      return;
    }
    if (!isFile(path))
      flags.elideLargeResourceString(maxShownSize).elideLargeElementsAttrs(maxShownSize);
    module.print(os, flags);
    os << "\n";
  });
}

ExitCode pcc::cli::writeModule(mlir::ModuleOp module, llvm::StringRef path) {
  return write(module, path, {});
}

ExitCode pcc::cli::writeModel(mlir::ModuleOp module, llvm::StringRef path) {
  mlir::OpPrintingFlags flags;
  if (isFile(path))
    flags.enableDebugInfo();
  return write(module, path, flags);
}
