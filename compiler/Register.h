// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers all dialects and all passes for tools that refer to them by name.

#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pcc {

/// Adds every dialect that a module of any phase may hold, with its external models.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass of pcc, the pipelines of its phases, and MLIR's canonicalize, cse and
/// symbol passes, by flag.
void registerPasses();

} // namespace pcc
