// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program on given values and compares what comes out with what is expected: how a machine
// without a compiler checks its devices (`pcc-run --expected`). The comparison is that of the
// interpreter's (compiler/interpret/Compare.h): every element, NaN equal to NaN, an infinity to
// itself.

#ifndef PCC_RUNTIME_EXECUTE_EXPECTATION_H
#define PCC_RUNTIME_EXECUTE_EXPECTATION_H

#include "runtime/abi/expectation.pb.h"
#include "runtime/execute/Session.h"

namespace pcc::runtime {

/// One result beside what was expected.
struct ComparedResult {
  std::string name;     ///< "step 1 loss", "gradient w", "updated parameter w", "output logits"
  std::string reason;   ///< why it is not as expected; empty if it is
  double error = 0;     ///< the greatest difference of two elements
  double tolerance = 0; ///< that it may have

  bool isExpected() const { return reason.empty(); }
  /// What of its tolerance it takes: 0 without an error, infinite with one where none is allowed.
  double share() const;
};

/// Compares two tensors, `name` being that of the result.
ComparedResult compareTensors(std::string name, const Tensor &expected, const Tensor &actual,
                              double tolerance);

/// Sets the parameters, makes the forward run and the steps of a valid expectation, and compares
/// all results, in its order. Errors: as those of the session's functions.
Expected<std::vector<ComparedResult>> compareWith(Session &session,
                                                  const abi::Expectation &expectation);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_EXPECTATION_H
