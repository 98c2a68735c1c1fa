// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins measured and predicted sections by name, and collectives by key. A collective without a
// prediction shows `-`, a section without one zero.
#include "tools/pcc/bench/StepTimes.h"

#include "runtime/abi/program/CollectiveName.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"

#include <optional>

namespace json = llvm::json;

namespace pcc::cli {
namespace {

/// Measured and predicted times of a section.
struct Row {
  std::string name;
  SectionTime best, mean, predicted;
};

std::vector<Row> makeRows(const MeasuredSteps &measured, const PredictedStep *predicted) {
  StepTime best = measured.best, mean = measured.mean, own;
  if (predicted)
    own = predicted->step;
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

std::optional<double> secondsOf(const CollectiveMeans &means, const CollectiveKey &key) {
  auto found = means.find(key);
  return found == means.end() ? std::nullopt : std::optional(found->second.seconds);
}

/// Prints a row for each kind, number of ranks and bytes that was measured.
void printCollectives(const CollectiveMeans &measured, const PredictedStep &predicted) {
  auto microseconds = [](std::optional<double> seconds) -> std::string {
    return seconds ? llvm::formatv("{0:f1}", *seconds * 1e6).str() : "-";
  };
  std::vector<std::vector<std::string>> table = {{"us", "ranks", "bytes", "mean", "predicted"}};
  if (!predicted.estimates.empty())
    table.front().push_back("NCCL");
  for (const auto &[key, mean] : measured) {
    table.push_back({abi::collectiveName(key.kind), std::to_string(key.ranks),
                     std::to_string(key.bytes), microseconds(mean.seconds),
                     microseconds(secondsOf(predicted.collectives, key))});
    if (!predicted.estimates.empty())
      table.back().push_back(microseconds(secondsOf(predicted.estimates, key)));
  }
  if (table.size() > 1)
    printColumns(table);
}

json::Array collectivesToJson(const CollectiveMeans &measured, const PredictedStep &predicted) {
  json::Array rows;
  for (const auto &[key, mean] : measured) {
    json::Object row{{"kind", abi::collectiveName(key.kind)},
                     {"ranks", key.ranks},
                     {"bytes", key.bytes},
                     {"seconds", mean.seconds}};
    if (auto seconds = secondsOf(predicted.collectives, key))
      row["predicted_seconds"] = *seconds;
    if (auto seconds = secondsOf(predicted.estimates, key))
      row["nccl_seconds"] = *seconds;
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace

void printSteps(const MeasuredSteps &measured, const PredictedStep *predicted) {
  std::vector<std::vector<std::string>> table = {{"ms", "best", "exposed", "mean", "exposed"}};
  if (predicted)
    table.front().insert(table.front().end(), {"predicted", "exposed", "error"});
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
  if (predicted)
    printCollectives(measured.collectives, *predicted);
}

json::Value toJson(const MeasuredSteps &measured, const PredictedStep *predicted) {
  json::Array sections;
  for (const Row &row : makeRows(measured, predicted)) {
    json::Object section{
        {"section", row.name}, {"best", toJson(row.best)}, {"mean", toJson(row.mean)}};
    if (predicted)
      section["predicted"] = toJson(row.predicted);
    sections.push_back(std::move(section));
  }
  json::Object report{{"sections", std::move(sections)}};
  if (predicted)
    report["collectives"] = collectivesToJson(measured.collectives, *predicted);
  return report;
}

} // namespace pcc::cli
