// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and verifies a module as text, and prints what it accepts.
#include "compiler/import/Import.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/Target.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

static void importModule(std::string_view bytes) {
  if (mlir::isBytecode(llvm::MemoryBufferRef(llvm::StringRef(bytes), "")))
    return; // BytecodeTarget.cpp
  pcc::fuzz::InputFile file("module.mlir", bytes);
  auto module = pcc::import::importModel(file.path(), {}, pcc::fuzz::getContext());
  if (module)
    module->print(llvm::nulls());
}

PCC_FUZZ_TARGET(module, importModule)
