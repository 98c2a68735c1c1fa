// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules of the learning rate from step to step: options of --optimizer beside `lr`.
//
//   lr=0.1                                                0.1 always
//   lr=0.1,schedule=step,every=30,factor=0.1              0.1 to step 29, 0.01 to step 59, …
//   lr=0.1,schedule=cosine,steps=100,least=0.001          from 0.1 along half a cosine to 0.001
//   lr=0.1,schedule=linear,steps=100                      from 0.1 along a line to 0
//   warmup=10, with any of them                           a tenth more of it in each of 10 steps
//
// A cosine or a line starts after the warm-up and stays at its end. Steps count from 0. Sources:
// Loshchilov, Hutter: SGDR, ICLR 2017, section 3 (cosine); Goyal et al.: Accurate, large minibatch
// SGD, 2017, section 2.2 (warm-up).
#pragma once

#include "mlir/IR/Builders.h"
#include "passes/autodiff/OptionList.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace pcc::autodiff {

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

} // namespace pcc::autodiff
