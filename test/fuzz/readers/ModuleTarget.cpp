// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and verifies a module, as text or as bytecode, and prints what it accepts.
#include "compiler/import/Import.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/Target.h"
#include "llvm/Support/raw_ostream.h"

static void importModule(std::string_view bytes) {
  bool isBytecode = bytes.starts_with("ML\xefR");
  pcc::fuzz::InputFile file(isBytecode ? "module.mlirbc" : "module.mlir", bytes);
  auto module = pcc::import::importModel(file.path(), {}, pcc::fuzz::getContext());
  if (module)
    module->print(llvm::nulls());
}

PCC_FUZZ_TARGET(module, importModule)
