// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what two programs computed. How far two right programs may differ follows from the
// reference alone and is measured, not chosen (docs/spec/interpreter.md, "Tolerances"):
//
//   rounding      |reference rounded after every op - reference in doubles|,
//                 the greatest of a tensor
//   sensitivity   how far the double reference moves when every float input moves up
//                 or down at random, by as many units in its last place as the
//                 interpreter's factor allows, and every rounding inside by as many halves
//                 (Roundings.h), for each of them: the magnitude of the terms that were added up
//   tolerance     factor · max(rounding, sensitivity,
//                              epsilon of the element type · greatest value)
//
// Integers and booleans must be equal.
//
// The runs that show sensitivity evaluate composites by their decompositions, as compiled programs
// do: a program rounds between their ops. The values are those of the composites.
//
// A gradient jumps where its op has a kink, as relu at 0. What lies on one side of it in one
// program may lie on the other in another that is as right, if roundings move it so far. So inputs
// move as far as results may differ, not by one unit of which a multiple is taken: then what is
// within reach of a kink goes over it. They move there and back, for what lies beside a kink goes
// over it in one direction only.
#pragma once

#include "compiler/interpret/Roundings.h"
#include "compiler/interpret/Signature.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace pcc::interpret {

enum class CaseStatus { Passed, Failed, Skipped };

/// One thing that was compared.
struct Case {
  std::string name;
  CaseStatus status = CaseStatus::Passed;
  std::string reason;     ///< empty for a case that passed
  double maxError = 0.0;  ///< the greatest difference of two elements
  double tolerance = 0.0; ///< that it may have
};

struct Report {
  std::vector<Case> cases;

  int64_t count(CaseStatus status) const;
  bool passed() const { return count(CaseStatus::Failed) == 0; }
  void append(Report other);

  /// One line for each case that failed or was skipped (with `all` for each case), then the counts:
  /// `verify: 12 passed, 0 failed, 1 skipped`.
  void print(llvm::raw_ostream &os, bool all = false) const;
  /// `{"passed", "failed", "skipped", "cases": [{"name", "status", "reason", …}]}`.
  llvm::json::Value toJson() const;
};

/// The same in three runs in doubles, op by op of the decompositions.
template <typename T> struct Moved {
  T steady;      ///< from the inputs as they are
  T there, back; ///< from inputs and roundings moved in either direction
};

/// What the first of two programs computed, and how sharply.
struct Reference {
  NamedTensors values;  ///< rounded after every op
  NamedTensors doubles; ///< in doubles
  Moved<NamedTensors> moved;

  /// Calls `change` for the results of every run.
  void forEachRun(llvm::function_ref<void(NamedTensors &)> change) {
    for (NamedTensors *run : {&values, &doubles, &moved.steady, &moved.there, &moved.back})
      change(*run);
  }
};

/// For compiled programs, which accumulate in f32 and approximate functions: `interpretedFactor`
/// times the root of the longest sum in `module`.
double compiledFactor(mlir::ModuleOp module);

/// `value` with every float element moved up or down, by `seed`.
Tensor disturb(const Tensor &value, uint64_t seed, Direction direction);
NamedTensors disturb(const NamedTensors &values, uint64_t seed, Direction direction);

/// How far a result may lie from the reference's, given how far it moves. With `Precision::Double`
/// both programs computed in doubles, and the tolerance shrinks by the ratio of the epsilons.
double toleranceOf(const Tensor &value, const Tensor &doubles, const Moved<const Tensor *> &moved,
                   double factor, Precision precision = Precision::Element);

/// Compares two tensors: type, shape, every element. NaN equals NaN, an infinity itself.
Case compareTensors(std::string name, const Tensor &expected, const Tensor &actual,
                    double tolerance);

/// Takes the values of `keys` out of what is to be compared, each with a case that says why.
Report skipNamed(llvm::StringRef prefix, NamedTensors &values, const std::set<std::string> &keys,
                 llvm::StringRef reason);

/// Compares every value of the reference with the one of the same key, which must exist; `prefix`
/// is put before the names of the cases. Values that only `actual` has are not looked at.
Report compareNamed(llvm::StringRef prefix, const Reference &expected, const NamedTensors &actual,
                    double factor, Precision precision = Precision::Element);

} // namespace pcc::interpret
