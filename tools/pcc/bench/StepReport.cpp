// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/bench/StepReport.h"

#include "tools/pcc/Columns.h"
#include "llvm/Support/FormatVariadic.h"

namespace json = llvm::json;

namespace pcc::cli {
namespace {

/// A section as it was measured, and as it was predicted.
struct Row {
  std::string name;
  SectionTime best, mean, predicted;
};

std::vector<Row> makeRows(const MeasuredSteps &measured, const StepTime *predicted) {
  StepTime best = measured.best, mean = measured.mean, own = predicted ? *predicted : StepTime();
  std::vector<Row> rows;
  for (const std::string &name : measured.best.names)
    rows.push_back({name, best[name], mean[name], own[name]});
  rows.push_back({"step", best.sum(), mean.sum(), own.sum()});
  return rows;
}

std::string milliseconds(double seconds) { return llvm::formatv("{0:f2}", seconds * 1e3); }

json::Object toJson(const SectionTime &time) {
  return json::Object{{"seconds", time.seconds}, {"exposed", time.exposed}};
}

} // namespace

void printSteps(const MeasuredSteps &measured, const StepTime *predicted) {
  std::vector<std::vector<std::string>> table = {{"ms", "best", "exposed", "mean", "exposed"}};
  if (predicted)
    table.front().insert(table.front().end(), {"predicted", "exposed", "off"});
  for (const Row &row : makeRows(measured, predicted)) {
    std::vector<std::string> &cells = table.emplace_back();
    cells = {row.name, milliseconds(row.best.seconds), milliseconds(row.best.exposed),
             milliseconds(row.mean.seconds), milliseconds(row.mean.exposed)};
    if (predicted)
      cells.insert(
          cells.end(),
          {milliseconds(row.predicted.seconds), milliseconds(row.predicted.exposed),
           llvm::formatv("{0:f1} %", 100 * (row.predicted.seconds / row.best.seconds - 1))});
  }
  printColumns(table);
}

json::Value toJson(const MeasuredSteps &measured, const StepTime *predicted) {
  json::Array sections;
  for (const Row &row : makeRows(measured, predicted)) {
    json::Object section{
        {"section", row.name}, {"best", toJson(row.best)}, {"mean", toJson(row.mean)}};
    if (predicted)
      section["predicted"] = toJson(row.predicted);
    sections.push_back(std::move(section));
  }
  return json::Object{{"sections", std::move(sections)}};
}

} // namespace pcc::cli
