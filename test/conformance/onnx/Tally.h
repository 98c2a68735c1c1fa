// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts by operator of passed, failed and skipped tests.
#pragma once

#include "compiler/interpret/compare/Compare.h"
#include "test/conformance/onnx/NodeTest.h"
#include <map>

namespace pcc::conformance {

class Tally {
public:
  /// Counts a test by its worst case: failed, then skipped, then passed. Prints a failed or skipped
  /// test with the reason of that case. Prints a passed test only with `all`.
  void add(const NodeTest &test, const interpret::Report &report, bool all);

  /// Prints a line for each operator, the totals, and the number of results compared.
  void print() const;
  bool passed() const;

private:
  using Counts = std::map<interpret::CaseStatus, int64_t>;
  std::map<std::string, Counts> byOp;
  int64_t compared = 0;
};

} // namespace pcc::conformance
