// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of an ONNX model and its expected outputs, as the tests of ONNX store them: a folder with
// `input_0.pb`, …, `output_0.pb`, …. Each file is a TensorProto, in the order of the graph's inputs
// and outputs.
#pragma once

#include "compiler/import/Import.h"
#include "compiler/import/files/Constant.h"
#include <map>
#include <set>

namespace pcc::import {

struct NamedConstant {
  std::string name;
  Constant value;
};

/// A sequence NAME among the outputs is a list of tensors NAME.0, NAME.1, ….
struct TestData {
  std::vector<NamedConstant> inputs, outputs;
  llvm::StringMap<std::vector<Constant>> sequences; ///< inputs
  llvm::StringSet<> absent;                         ///< inputs of an optional type without a value
};

/// Reads the data in `folder` for the model `path`. Errors are diagnostics at the file that is
/// missing or wrong.
std::optional<TestData> readTestData(llvm::StringRef path, llvm::StringRef folder,
                                     mlir::MLIRContext &context);

/// Imports the model `path` so that it can run on `data`: symbolic dimensions get the sizes of the
/// data. If some inputs must be known, such as a shape or an axis, they and as few others as
/// possible become constants; numbers and lists are tried first. `known` receives their names.
/// `options` are the user's; the data add to them. Returns null after an error.
mlir::OwningOpRef<mlir::ModuleOp> importForData(llvm::StringRef path, const TestData &data,
                                                mlir::MLIRContext &context,
                                                std::set<std::string> &known,
                                                const ImportOptions &options = {});

/// Returns all elements of `constant`, with splats expanded.
values::Tensor listElements(const Constant &constant);

/// Returns the inputs of the data by name, without those in `known`.
std::map<std::string, values::Tensor> listInputs(const TestData &data,
                                                 const std::set<std::string> &known);

} // namespace pcc::import
