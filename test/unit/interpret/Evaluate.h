// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs IR that a test gives as text.
#pragma once

#include "compiler/interpret/function/Run.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace pcc::interpret {

inline Tensor f32(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values) {
  return Tensor::floats(ElementType::F32, shape, values);
}
inline Tensor i64(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> values) {
  return Tensor::integers(ElementType::I64, shape, values);
}

/// Converts elements of any type to doubles.
std::vector<double> valuesOf(const Tensor &tensor);

/// A parsed module, and the diagnostics since its construction.
class TestModule {
public:
  explicit TestModule(const std::string &text);
  mlir::ModuleOp operator*() { return *module; }
  mlir::func::FuncOp function(llvm::StringRef name);
  const std::string &getErrors() const { return errors; }

private:
  mlir::MLIRContext context;
  std::string errors;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Returns the results of one op on one rank. The op names its operands %a, %b, … in the order of
/// `arguments`. `resultTypes` are the types of its results. A failure adds one to the test's
/// failures.
std::vector<Tensor> evaluateAll(const std::string &op, llvm::ArrayRef<Tensor> arguments,
                                llvm::ArrayRef<std::string> resultTypes,
                                Precision precision = Precision::Element);

/// Returns the only result of an op.
Tensor evaluate(const std::string &op, llvm::ArrayRef<Tensor> arguments,
                const std::string &resultType, Precision precision = Precision::Element);

/// Evaluates `graph.<name>`, whose operands and result have one type.
Tensor elementwise(const std::string &name, llvm::ArrayRef<Tensor> arguments,
                   const std::string &attributes = "");

} // namespace pcc::interpret
