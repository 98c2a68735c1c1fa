// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules given as text, and the errors of linking them.
#pragma once

#include "compiler/Register.h"
#include "compiler/link/Link.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "runtime/abi/files/Executable.h"
#include <gtest/gtest.h>

namespace pcc {

class LinkFixture : public testing::Test {
protected:
  LinkFixture() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Returns the first error of linking the module `text`.
  std::string errorOf(llvm::StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    std::string message;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (message.empty())
        message = diagnostic.str();
      return mlir::success();
    });
    abi::Executable executable;
    EXPECT_TRUE(mlir::failed(link::linkExecutable(*module, {}, executable)));
    return message;
  }

  mlir::MLIRContext context;
};

} // namespace pcc
