// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/onnx/Tally.h"

using pcc::interpret::Case;
using pcc::interpret::CaseStatus;

namespace pcc::conformance {

static llvm::StringRef stringify(CaseStatus status) {
  switch (status) {
  case CaseStatus::Passed:
    return "passed";
  case CaseStatus::Failed:
    return "FAILED";
  case CaseStatus::Skipped:
    return "skipped";
  }
  llvm_unreachable("every status is listed");
}

/// Returns the first case with the worst status; null if all cases passed.
static const Case *findWorst(const interpret::Report &report) {
  for (CaseStatus status : {CaseStatus::Failed, CaseStatus::Skipped})
    for (const Case &each : report.cases)
      if (each.status == status)
        return &each;
  return nullptr;
}

void Tally::add(const NodeTest &test, const interpret::Report &report, bool all) {
  const Case *worst = findWorst(report);
  compared += report.cases.size() - report.count(CaseStatus::Skipped);
  CaseStatus status = worst ? worst->status : CaseStatus::Passed;
  ++byOp[test.op][status];
  if (!worst && !all)
    return;
  llvm::outs() << stringify(status) << " " << test.op << " " << test.name;
  if (worst)
    llvm::outs() << ": " << worst->name << ": " << worst->reason;
  llvm::outs() << "\n";
  llvm::outs().flush();
}

static void printCounts(llvm::StringRef name, const std::map<CaseStatus, int64_t> &counts) {
  auto count = [&](CaseStatus status) {
    auto found = counts.find(status);
    return found == counts.end() ? 0 : found->second;
  };
  llvm::outs() << name << ": " << count(CaseStatus::Passed) << " passed, "
               << count(CaseStatus::Failed) << " failed, " << count(CaseStatus::Skipped)
               << " skipped\n";
}

void Tally::print() const {
  Counts totals;
  for (const auto &[op, counts] : byOp) {
    printCounts(op, counts);
    for (auto [status, count] : counts)
      totals[status] += count;
  }
  printCounts("total", totals);
  llvm::outs() << compared << " results compared\n";
}

bool Tally::passed() const {
  return llvm::none_of(byOp,
                       [](const auto &entry) { return entry.second.count(CaseStatus::Failed); });
}

} // namespace pcc::conformance
