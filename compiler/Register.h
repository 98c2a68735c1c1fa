// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a tool must know by name: all dialects and all passes.

#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pcc {

/// Adds every dialect that a module of any stage may hold, with its external models.
void registerDialects(mlir::DialectRegistry &registry);

/// Makes every pass of pcc, and MLIR's canonicalise, cse and symbol passes, known by flag.
void registerPasses();

} // namespace pcc
