// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on one device, and the same program split over N ranks by strategies of some of its
// ops.
#pragma once

#include "compiler/interpret/compare/Verify.h"
#include "test/oracle/sharding/Strategies.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::test {

/// The results of every function of a module on one device, on seeded inputs.
class OneDevice {
public:
  /// Runs the functions of `module`, which must outlive this.
  OneDevice(mlir::ModuleOp module, uint64_t seed);
  /// Runs the functions on `arguments`, which every function takes. The caller expects their
  /// results: a NaN among them equals a NaN.
  OneDevice(mlir::ModuleOp module, const interpret::NamedTensors &arguments);

  /// Gives the strategies to ops of the module, propagates them to all other ops like a user's
  /// constraints, partitions a copy, and compares it. Every error is a failed case.
  interpret::Report compareSplit(const dist::Mesh &mesh,
                                 const llvm::DenseMap<mlir::Operation *, Strategy> &given) const;

  /// Returns whether no result is a NaN. With one, nothing can be compared.
  bool hasNumbers() const;

private:
  struct Function {
    std::string name;
    interpret::NamedTensors arguments;
    interpret::Reference values;
  };

  /// Runs `function` on one device; returns false after an error.
  bool add(mlir::func::FuncOp function, mlir::FailureOr<interpret::NamedTensors> arguments);
  interpret::Report compare(mlir::ModuleOp ranks) const;

  mutable mlir::ModuleOp module; ///< not modified
  std::vector<Function> functions;
  std::string error; ///< empty if all functions ran
};

/// Runs the derivative pass; warnings about arguments without influence are dropped.
mlir::LogicalResult differentiate(mlir::ModuleOp module);

/// Returns the text of a report's failures.
std::string reportText(const interpret::Report &report);

} // namespace pcc::test
