// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many tests passed, failed and were skipped, by operator.
#pragma once

#include "compiler/interpret/verify/Compare.h"
#include "test/conformance/onnx/NodeTest.h"
#include <map>

namespace pcc::conformance {

class Tally {
public:
  /// Counts a test by its worst case, which is printed with its reason: failed, then skipped, else
  /// passed, and printed with `all` alone.
  void add(const NodeTest &test, const interpret::Report &report, bool all);

  /// A line for each operator, then the totals, and how many results were compared.
  void print() const;
  bool passed() const;

private:
  using Counts = std::map<interpret::CaseStatus, int64_t>;
  std::map<std::string, Counts> byOp;
  int64_t compared = 0;
};

} // namespace pcc::conformance
