// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a model with the results that are stored with it, in the form of ONNX's own tests.
#pragma once

#include "compiler/Compile.h"
#include "compiler/import/Import.h"
#include "compiler/interpret/compare/Compare.h"
#include "mlir/IR/MLIRContext.h"

namespace pcc::verify {

/// Allowed difference of an element: `absolute` plus `relative` times the expected magnitude. The
/// defaults are those of ONNX's own tests.
struct StoredTolerance {
  double relative = 1e-3, absolute = 1e-7;
  /// Results may also differ by the rounding bound of the interpreter (docs/spec/interpreter.md,
  /// "Tolerances"), since another program rounded the stored ones.
  bool allowsRounding = true;
};

/// Imports the ONNX file `model` for each data set: `folder` itself, or each `test_data_set_N` in
/// it, with `importOptions` and the sizes of the data. Runs the model in the interpreter (cases
/// `interpreter: …`) and, compiled with `options`, on this machine's CPU (cases `cpu: …`), and
/// compares every output. A set that cannot be read and a model that cannot be imported are skipped
/// cases with the first error. Outputs of element types that no program has are skipped, too.
interpret::Report verifyTestData(mlir::MLIRContext &context, llvm::StringRef model,
                                 llvm::StringRef folder, const CompileOptions &options,
                                 const StoredTolerance &tolerance = {},
                                 const import::ImportOptions &importOptions = {});

} // namespace pcc::verify
