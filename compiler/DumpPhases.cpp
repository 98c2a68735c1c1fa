// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/DumpPhases.h"

#include "compiler/DrawModule.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static LogicalResult writeFile(ModuleOp module, const llvm::Twine &path,
                               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::Error error = llvm::writeToOutput(path.str(), [&](llvm::raw_ostream &os) {
    write(os);
    return llvm::Error::success();
  });
  if (!error)
    return success();
  return module.emitError("'") << path.str() << "': " << llvm::toString(std::move(error));
}

LogicalResult pcc::DumpPhases::write(CompilePhase phase, ModuleOp module) const {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return module.emitError("'") << folder << "': " << error.message();
  llvm::SmallString<128> stem(folder);
  llvm::sys::path::append(
      stem, llvm::formatv("{0,0+2}_{1}", static_cast<int>(phase) + 1, stringify(phase)).str());
  auto text = [&](llvm::raw_ostream &os) {
    OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(64).elideLargeResourceString(64);
    module.print(os, flags);
    os << "\n";
  };
  if (failed(writeFile(module, stem + ".mlir", text)))
    return failure();
  if (!pictures)
    return success();
  return writeFile(module, stem + ".dot", [&](llvm::raw_ostream &os) { drawModule(module, os); });
}
