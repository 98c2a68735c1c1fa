// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of constraints in each of its formats, and attaches them to a small model.
#include "compiler/import/constraints/Constraints.h"
#include "mlir/Parser/Parser.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/SmallModel.h"
#include "test/fuzz/readers/Target.h"
#include "tools/pcc/flags/MessageFile.h"

static void attachConstraintFile(std::string_view bytes) {
  pcc::fuzz::InputFile file(pcc::fuzz::optionsFileName(bytes), bytes);
  pcc::abi::Constraints constraints;
  if (pcc::cli::readMessageFile(file.path(), constraints) != pcc::cli::Success)
    return;
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(pcc::fuzz::smallModel, &pcc::fuzz::getContext());
  auto getPlace = [](llvm::StringRef, int index) { return std::to_string(index); };
  (void)pcc::import::attachConstraints(*module, constraints, getPlace);
}

PCC_FUZZ_TARGET(constraints, attachConstraintFile)
PCC_FUZZ_MESSAGE_TEXT(pcc::abi::Constraints)
