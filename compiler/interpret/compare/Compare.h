// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the results of two programs. The tolerance of a tensor follows from runs of the
// reference and is measured, not chosen (docs/spec/interpreter.md, "Tolerances"):
//
//   tolerance = max(16 · rounding, factor · a · max(rounding, both / 16), any)
//
//   rounding  greatest of |rounded run - run in doubles|, and epsilon of the element type times the
//             greatest magnitude. The rounded run rounds after every op.
//   factor    16, or more for compiled programs (compiledFactor)
//   a         min(1, epsilon of f32 / epsilon of the element type), because sums are added in f32
//   any       greatest distance that an element moves in either of two moved runs
//   both      greatest distance that an element moves in both of them: the smaller of the two
//   16        interpretedFactor (MoveByRounding.h)
//
// The moved runs compute in doubles. Each float input moves up or down at random by 16 units in its
// last place, and each rounding inside by up to 16 half units (MoveByRounding.h). In the second run
// everything moves the opposite way. Distances are taken from a run in which nothing moves. They
// show the magnitude of the terms that were added, even if the terms cancel. If both programs
// compute in doubles, the tolerance shrinks by the ratio of the epsilons. Integers and booleans
// must be equal.
//
// The moved runs, and the run in which nothing moves, evaluate composites by their decompositions,
// because compiled programs round between these ops. The expected values come from the composites.
//
// A gradient jumps at a kink of its op, such as relu at 0. A value near a kink may lie on either
// side in two correct programs, if roundings move it that far. So inputs move by the full 16 units,
// not by one unit with a factor applied later: values within reach of a kink then cross it. Inputs
// move in both directions, since a value beside a kink crosses it in one direction only. Such a
// jump is part of `any` but not of `both`, so `factor` does not multiply it.
#pragma once

#include "compiler/interpret/function/Signature.h"
#include "compiler/interpret/rank/MoveByRounding.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace pcc::interpret {

enum class CaseStatus { Passed, Failed, Skipped };

/// One comparison.
struct Case {
  std::string name;
  CaseStatus status = CaseStatus::Passed;
  std::string reason;     ///< empty if passed
  double maxError = 0.0;  ///< greatest difference of two elements
  double tolerance = 0.0; ///< allowed difference
};

struct Report {
  std::vector<Case> cases;

  int64_t count(CaseStatus status) const;
  bool passed() const { return count(CaseStatus::Failed) == 0; }
  void append(Report other);

  /// Prints one line for each case that failed or was skipped (with `all` for each case), then the
  /// counts: `verify: 12 passed, 0 failed, 1 skipped`.
  void print(llvm::raw_ostream &os, bool all = false) const;
  /// Returns `{"passed", "failed", "skipped", "cases": [{"name", "status", "reason", …}]}`.
  llvm::json::Value toJson() const;
};

/// One value in three runs in doubles that evaluate composites by their decompositions.
template <typename T> struct Moved {
  T steady;      ///< inputs not moved
  T there, back; ///< inputs and roundings moved, in opposite directions
};

/// Results of the reference program, and the data that determine tolerances.
struct Reference {
  NamedTensors values;  ///< rounded after every op
  NamedTensors doubles; ///< in doubles
  Moved<NamedTensors> moved;
  bool mayBeNaN = false; ///< a NaN is expected, and equals a NaN

  /// Calls `change` for the results of every run.
  void forEachRun(llvm::function_ref<void(NamedTensors &)> change) {
    for (NamedTensors *run : {&values, &doubles, &moved.steady, &moved.there, &moved.back})
      change(*run);
  }
};

/// Returns the tolerance factor for compiled programs, which accumulate in f32 and approximate
/// functions: `interpretedFactor` times the square root of the longest sum in `module`.
double compiledFactor(mlir::ModuleOp module);

/// Returns `value` with every float element moved up or down at random, by `seed`.
Tensor perturb(const Tensor &value, uint64_t seed, Direction direction);
NamedTensors perturb(const NamedTensors &values, uint64_t seed, Direction direction);

/// Returns the tolerance of a result by the formula above. With `Precision::Double` both programs
/// computed in doubles, and the tolerance shrinks by the ratio of the epsilons.
double toleranceOf(const Tensor &value, const Tensor &doubles, const Moved<const Tensor *> &moved,
                   double factor, Precision precision = Precision::Element);

/// Compares type, shape and every element of two tensors. An infinity equals itself. A NaN equals
/// a NaN with `mayBeNaN`; otherwise one among the expected elements fails, because it says nothing
/// about the other program.
Case compareTensors(std::string name, const Tensor &expected, const Tensor &actual,
                    double tolerance, bool mayBeNaN = false);

/// Removes the values of `keys` from `values`. Reports each as a skipped case with `reason`.
Report skipNamed(llvm::StringRef prefix, NamedTensors &values, const std::set<std::string> &keys,
                 llvm::StringRef reason);

/// Compares every value of the reference with the value of the same key, which must exist. `prefix`
/// starts the names of the cases. Values that only `actual` has are ignored.
Report compareNamed(llvm::StringRef prefix, const Reference &expected, const NamedTensors &actual,
                    double factor, Precision precision = Precision::Element);

} // namespace pcc::interpret
