// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--dump-ir=DIR[,dot]`: the module after every stage, as numbered files.
#pragma once

#include "compiler/Pipeline.h"
#include <string>

namespace pcc {

/// Writes DIR/02_grad.mlir and so on, and with `pictures` DIR/02_grad.dot beside each. Large values
/// are left out: these files are for reading. All ranks run the same module, so there is one file a
/// stage.
class DumpStages {
public:
  DumpStages(llvm::StringRef folder, bool pictures) : folder(folder.str()), pictures(pictures) {}

  /// Writes the files of one stage; an error at the module if the folder cannot be written.
  mlir::LogicalResult write(Stage stage, mlir::ModuleOp module) const;

private:
  std::string folder;
  bool pictures;
};

} // namespace pcc
