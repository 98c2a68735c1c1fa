// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and verifies a module as bytecode. MLIR's reader takes numbers of the file as sizes, so
// this target has findings that pcc cannot mend (SECURITY.md).
#include "compiler/import/Import.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/Target.h"

static void importBytecode(std::string_view bytes) {
  pcc::fuzz::InputFile file("module.mlirbc", bytes);
  (void)pcc::import::importModel(file.path(), {}, pcc::fuzz::getContext());
}

PCC_FUZZ_TARGET(bytecode, importBytecode)
