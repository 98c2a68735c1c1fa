// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizers that --optimizer knows, one row each, and the schedules of their learning rates.
//
//   --optimizer=sgd,lr=0.1,weight_decay=0.0001
//   --optimizer=momentum,lr=0.01,momentum=0.9,nesterov
//   --optimizer=adam,lr=0.001,beta1=0.9,beta2=0.999,eps=1e-8,schedule=cosine,steps=1000
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/autodiff/options/OptionList.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace pcc::autodiff {

/// The schedule of the learning rate from step to step: options of --optimizer beside `lr`.
///
///   lr=0.1                                                0.1 always
///   lr=0.1,schedule=step,every=30,factor=0.1              0.1 to step 29, 0.01 to step 59, …
///   lr=0.1,schedule=cosine,steps=100,least=0.001          from 0.1 along half a cosine to 0.001
///   lr=0.1,schedule=linear,steps=100                      from 0.1 along a line to 0
///   warmup=10, with any of them                           a tenth more of it in each of 10 steps
///
/// A cosine or a line starts after the warm-up and stays at its end. Steps count from 0. Sources:
/// Loshchilov, Hutter: SGDR, ICLR 2017, section 3 (cosine); Goyal et al.: Accurate, large minibatch
/// SGD, 2017, section 2.2 (warm-up).
class RateSchedule {
public:
  /// Returns the options of a schedule, including `lr`.
  static llvm::ArrayRef<llvm::StringRef> listOptions();
  static bool isOption(llvm::StringRef key);

  llvm::Error set(const Option &option);
  /// Returns an error for a missing or useless option, once all options are set. `owner` is named
  /// in errors.
  llvm::Error check(llvm::StringRef owner) const;

  /// Returns whether the rate depends on the number of the step.
  bool takesStep() const { return kind != Kind::Constant || warmup > 0; }
  /// Builds the rate, an f32 scalar. `step` counts from 0, an i64 scalar; it may be null unless the
  /// rate depends on it.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value step,
                    mlir::Type element) const;

private:
  enum class Kind { Constant, Step, Cosine, Linear };

  /// Builds the rate without the warm-up; `now` is the number of the step as f32.
  mlir::Value buildDecayed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value now,
                           mlir::Type element) const;

  Kind kind = Kind::Constant;
  std::optional<double> rate;
  std::optional<int64_t> steps, every; ///< above 0
  std::optional<double> least, factor;
  int64_t warmup = 0;
};

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
