// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/report/OperatorReport.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace pcc::import;

namespace {

std::string describeInputs(const Operator &row) {
  if (row.maxInputs >= anyNumberOptional)
    return llvm::formatv("{0} or more", row.minInputs);
  if (row.minInputs == row.maxInputs)
    return std::to_string(row.minInputs);
  return llvm::formatv("{0} to {1}", row.minInputs, row.maxInputs);
}

/// Returns the positions, from 1, of the inputs that a gradient reaches.
std::string describeGradients(const Operator &row) {
  uint32_t inputs =
      row.maxInputs < 32 ? row.gradients & ((1u << row.maxInputs) - 1) : row.gradients;
  if (inputs == NoGradient)
    return "none";
  if (row.gradients == AllInputs)
    return "all";
  llvm::SmallVector<std::string> positions;
  for (unsigned i = 0; i < 32; ++i)
    if (inputs >> i & 1)
      positions.push_back(std::to_string(i + 1));
  return llvm::join(positions, ", ");
}

std::string describeTypes(NarrowInputs narrow) {
  switch (narrow) {
  case NarrowInputs::Refused:
    return "";
  case NarrowInputs::Read:
    return "yes";
  case NarrowInputs::Moved:
    return "moved";
  }
  return "";
}

} // namespace

void pcc::cli::printOperators() {
  std::map<llvm::StringRef, std::map<int64_t, const Operator *>> operators;
  for (llvm::ArrayRef<Operator> family : operatorFamilies())
    for (const Operator &row : family)
      operators[row.name][row.since] = &row;
  llvm::outs() << "| operator | from opset | inputs | gradients of inputs | narrow types |\n"
                  "| --- | --- | --- | --- | --- |\n";
  for (const auto &[name, rows] : operators)
    for (const auto &[since, row] : rows)
      llvm::outs() << llvm::formatv("| {0} | {1} | {2} | {3} | {4} |\n", name, since,
                                    describeInputs(*row), describeGradients(*row),
                                    describeTypes(row->narrow));
}
