// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program on given values and compares the results with the expected ones. `pcc-run
// --expected` checks devices in this way on a machine without a compiler. The comparison is the
// interpreter's (compiler/interpret/compare/Compare.h): it covers every element, NaN equals NaN,
// and an infinity equals itself.

#pragma once

#include "runtime/abi/golden.pb.h"
#include "runtime/execute/Session.h"

namespace pcc::runtime {

/// One result compared with its expected value.
struct ComparedResult {
  std::string name;     ///< "step 1 loss", "gradient w", "updated parameter w", "output logits"
  std::string reason;   ///< why the result is not as expected; empty if it is
  double error = 0;     ///< greatest absolute difference of two elements
  double tolerance = 0; ///< greatest `error` allowed

  bool isExpected() const { return reason.empty(); }
  /// Returns the used fraction of the tolerance: 0 without an error, infinite if there is an error
  /// and no tolerance.
  double usedTolerance() const;
};

/// Compares two tensors; `name` names the result.
ComparedResult compareTensors(std::string name, const Tensor &expected, const Tensor &actual,
                              double tolerance);

/// Sets the parameters, runs the forward section and the steps of valid golden results, and
/// compares all results in their order. Errors: those of the Session functions.
Expected<std::vector<ComparedResult>> compareWithGolden(Session &session,
                                                        const abi::GoldenResults &golden);

} // namespace pcc::runtime
