// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the importer's tests: files with given bytes, and the diagnostics of an import.
#pragma once

#include "compiler/import/files/Locations.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <string>

namespace pcc::import {

/// A file in the folder for temporary files, removed by the destructor.
class TemporaryFile {
public:
  TemporaryFile(llvm::StringRef suffix, llvm::StringRef bytes);
  ~TemporaryFile();
  const std::string &path() const { return name; }

private:
  std::string name;
};

/// A context whose diagnostics are collected as pcc prints them.
class ImportTest : public ::testing::Test {
protected:
  std::string diagnostics;
  llvm::raw_string_ostream stream{diagnostics};
  mlir::MLIRContext context;
  DiagnosticPrinter printer{&context, stream};
};

/// A small model in wire format: Shape → Reshape, Gemm with a weight, Relu.
std::string smallModel();

} // namespace pcc::import
