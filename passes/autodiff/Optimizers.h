// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizers that --optimizer knows, one row each.
//
//   --optimizer=sgd,lr=0.1,weight_decay=0.0001
//   --optimizer=momentum,lr=0.01,momentum=0.9,nesterov
//   --optimizer=adam,lr=0.001,beta1=0.9,beta2=0.999,eps=1e-8,schedule=cosine,steps=1000
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/autodiff/RateSchedule.h"
#include "llvm/Support/Error.h"

namespace pcc::autodiff {

struct OptimizerKind;

/// A parsed --optimizer. The learning rate has no default: no number is right for most models.
struct OptimizerSpec {
  const OptimizerKind *kind = nullptr;
  RateSchedule rate;
  double momentum = 0.9;
  double beta1 = 0.9, beta2 = 0.999; ///< in [0, 1)
  double epsilon = 0;                ///< above 0 if the kind has one; the kind gives its default
  double weightDecay = 0;
  bool nesterov = false;

  /// Returns whether an update depends on the number of the step.
  bool takesStep() const;
};

/// The values of one parameter's update.
struct UpdateOperands {
  mlir::Value parameter;
  mlir::Value gradient;
  llvm::SmallVector<mlir::Value> states;
  mlir::Value rate;       ///< learning rate, a scalar
  mlir::Value step;       ///< number of the step from 0, a scalar; null unless the kind takes it
  mlir::Value scale;      ///< factor of the gradient, a scalar; may be null
  bool zeroSkips = false; ///< a scale of 0 skips the step
};

/// One row of the table.
struct OptimizerKind {
  llvm::StringRef name;
  llvm::ArrayRef<llvm::StringRef> options; ///< besides the options of the learning rate
  /// Suffixes of the states. The state of parameter w with suffix s is the parameter w.s: of w's
  /// shape in f32, at first zero.
  llvm::ArrayRef<llvm::StringRef> states;
  double epsilon; ///< the option's default
  bool takesStep;
  /// Builds the new parameter, then the new states.
  llvm::SmallVector<mlir::Value> (*build)(mlir::ImplicitLocOpBuilder &builder,
                                          const OptimizerSpec &spec,
                                          const UpdateOperands &operands);
  double weightDecay = 0; ///< the option's default
};

/// Parses --optimizer. Errors list the known names.
llvm::Expected<OptimizerSpec> parseOptimizer(llvm::StringRef text);

} // namespace pcc::autodiff
