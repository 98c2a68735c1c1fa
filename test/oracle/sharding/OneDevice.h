// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on one device, and the same split over N ranks by strategies given to some of its ops.
#pragma once

#include "compiler/interpret/verify/Verify.h"
#include "test/oracle/sharding/Strategies.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::test {

/// What every function of a module computes on one device, on seeded inputs.
class OneDevice {
public:
  /// Runs the functions of `module`, which must outlive this.
  OneDevice(mlir::ModuleOp module, uint64_t seed);
  /// The same on `arguments`, which every function takes.
  OneDevice(mlir::ModuleOp module, const interpret::NamedTensors &arguments);

  /// Gives the strategies to ops of the module, lets all others follow as a user's pins would,
  /// partitions a copy and compares it. Whatever goes wrong is a failed case.
  interpret::Report compareSplit(const dist::Mesh &mesh,
                                 const llvm::DenseMap<mlir::Operation *, Strategy> &given) const;

private:
  struct Function {
    std::string name;
    interpret::NamedTensors arguments;
    interpret::Reference values;
  };

  /// Runs `function` on one device; false after an error.
  bool add(mlir::func::FuncOp function, mlir::FailureOr<interpret::NamedTensors> arguments);
  interpret::Report compare(mlir::ModuleOp ranks) const;

  mutable mlir::ModuleOp module; ///< only read
  std::vector<Function> functions;
  std::string error; ///< empty if all functions ran
};

/// Runs the derivative pass; warnings about arguments without influence are dropped.
mlir::LogicalResult differentiate(mlir::ModuleOp module);

/// The text of a report's failures.
std::string reportText(const interpret::Report &report);

} // namespace pcc::test
