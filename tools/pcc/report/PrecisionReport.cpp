// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the float ops of @forward by kind and by the type of their results. Casts are counted
// last.
#include "tools/pcc/report/ExplainReports.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/Precision.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

/// Returns why an op of this kind has its type.
static std::string explain(StringRef mnemonic) {
  for (const graph::PrecisionRow &row : graph::listPrecisions())
    if (row.op == mnemonic)
      return row.why.str();
  return mnemonic == "cast" ? "between ops of different types" : "follows its operands";
}

std::vector<OpPrecision> cli::reportPrecision(ModuleOp module) {
  llvm::MapVector<StringRef, OpPrecision> rows;
  OpPrecision casts{"cast", 0, 0, explain("cast")};
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getName() != "forward")
      continue;
    function.walk([&](Operation *op) {
      auto type = op->getNumResults() > 0 ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                          : RankedTensorType();
      if (!type || !isa<FloatType>(type.getElementType()) || op->hasTrait<OpTrait::ConstantLike>())
        return;
      StringRef name = op->getName().stripDialect();
      OpPrecision &row = isa<graph::CastOp>(op) ? casts : rows[name];
      row.op = name.str();
      row.why = explain(name);
      ++(type.getElementTypeBitWidth() == 16 ? row.halves : row.singles);
    });
  }
  std::vector<OpPrecision> report;
  for (auto &[name, row] : rows)
    report.push_back(std::move(row));
  llvm::stable_sort(report, [](const OpPrecision &a, const OpPrecision &b) {
    return (a.halves > 0) > (b.halves > 0);
  });
  if (casts.halves + casts.singles > 0)
    report.push_back(std::move(casts));
  return report;
}

json::Value cli::toJson(const std::vector<OpPrecision> &report) {
  json::Array rows;
  for (const OpPrecision &row : report)
    rows.push_back(
        json::Object{{"op", row.op}, {"half", row.halves}, {"f32", row.singles}, {"why", row.why}});
  return rows;
}

void cli::printTable(const std::vector<OpPrecision> &report, StringRef half) {
  std::vector<std::vector<std::string>> rows = {{"op", half.str(), "f32", "why"}};
  for (const OpPrecision &row : report)
    rows.push_back({row.op, std::to_string(row.halves), std::to_string(row.singles), row.why});
  printColumns(rows);
}
