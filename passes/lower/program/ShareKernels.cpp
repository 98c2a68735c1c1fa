// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ShareKernels: moves the kernels of all stages into one module, equal ones once.
//
// Assumes task programs (LowerToTask) in the modules of stages. Leaves their kernels in the
// enclosing module, with new numbers. Launches name kernels by flat symbols, which are looked up in
// the enclosing module. A module that was not cut into stages stays as it is.
#include "passes/lower/Passes.h"
#include "passes/lower/host/EmitKernels.h"

#include "dialects/pipe/Stages.h"
#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include <limits>

using namespace mlir;

namespace pcc::lower {
#define GEN_PASS_DEF_SHAREKERNELS
#include "passes/lower/Passes.h.inc"

/// Returns the text of a kernel without its name. It is complete, whatever the command line says of
/// printing: kernels with equal texts are merged.
static std::string textOf(func::FuncOp kernel) {
  constexpr int64_t noLimit = std::numeric_limits<int64_t>::max();
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(noLimit).elideLargeResourceString(noLimit);
  flags.skipRegions(false).enableDebugInfo(false).printNameLocAsPrefix(false).useLocalScope();
  StringAttr name = kernel.getSymNameAttr();
  kernel.setName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, flags);
  kernel.setSymNameAttr(name);
  return text;
}

namespace {
struct ShareKernels : impl::ShareKernelsBase<ShareKernels> {
  void runOnOperation() override {
    kernels.clear(); // a pass may run on several modules
    FailureOr<SmallVector<ModuleOp>> programs = pipe::listPrograms(getOperation());
    if (failed(programs))
      return signalPassFailure();
    if (programs->front() != getOperation())
      for (ModuleOp stage : *programs)
        share(stage);
  }

  void share(ModuleOp stage) {
    llvm::DenseMap<StringAttr, StringAttr> newNames;
    for (auto kernel : llvm::make_early_inc_range(stage.getOps<func::FuncOp>())) {
      StringAttr name = kernel.getSymNameAttr();
      if (kernel->hasAttr(formAttrName))
        newNames[name] = deduplicate(kernel);
    }
    stage.walk([&](task::LaunchOp launch) {
      if (StringAttr name = newNames.lookup(launch.getKernelAttr().getAttr()))
        launch.setKernelAttr(FlatSymbolRefAttr::get(name));
    });
  }

  /// Moves the kernel, or drops it for an equal one; returns the name of the remaining one.
  StringAttr deduplicate(func::FuncOp kernel) {
    auto [it, isNew] = kernels.try_emplace(textOf(kernel));
    if (isNew) {
      // In "kernel3_add" the op is for readers.
      StringRef op = kernel.getName().split('_').second;
      kernel.setName(("kernel" + Twine(kernels.size() - 1) + "_" + op).str());
      kernel->moveBefore(getOperation().getBody(), getOperation().getBody()->end());
      it->second = kernel.getSymNameAttr();
    } else {
      kernel.erase();
    }
    return it->second;
  }

  llvm::StringMap<StringAttr> kernels; ///< by text
};
} // namespace
} // namespace pcc::lower
