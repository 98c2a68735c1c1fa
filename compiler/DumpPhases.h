// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the module after every phase into numbered files, for `--dump-ir=DIR[,dot]`.
#pragma once

#include "compiler/Compile.h"
#include <string>

namespace pcc {

/// Writes DIR/02_grad.mlir and so on and, with `pictures`, DIR/02_grad.dot beside each file. Large
/// constants are elided, since the files are for reading. There is one file per phase: before phase
/// stages, all ranks run the same module; from then on, the stages' modules are nested in one
/// module.
class DumpPhases {
public:
  DumpPhases(llvm::StringRef folder, bool pictures) : folder(folder.str()), pictures(pictures) {}

  /// Writes the files of one phase. Emits an error at the module if the folder cannot be written.
  mlir::LogicalResult write(CompilePhase phase, mlir::ModuleOp module) const;

private:
  std::string folder;
  bool pictures;
};

} // namespace pcc
