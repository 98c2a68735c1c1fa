// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table has milliseconds and gigabytes, the JSON form seconds and bytes.
#include "tools/pcc/report/ExplainReports.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

static json::Object toJson(const plan::Seconds &seconds) {
  return json::Object{{"contraction", seconds.contraction},
                      {"elementwise", seconds.elementwise},
                      {"reduction", seconds.reduction},
                      {"movement", seconds.movement},
                      {"communication", seconds.communication}};
}

json::Value pcc::cli::toJson(const plan::StepCost &step) {
  json::Array sections;
  for (const plan::SectionCost &section : step.sections) {
    json::Array ops;
    for (const plan::OpTime &op : section.ops)
      ops.push_back(json::Object{{"name", op.name},
                                 {"op", op.mnemonic},
                                 {"pass", op.pass == plan::Pass::Forward ? "forward" : "backward"},
                                 {"seconds", op.seconds}});
    sections.push_back(json::Object{{"section", section.name},
                                    {"runs", section.runs},
                                    {"seconds", section.sum()},
                                    {"flops", section.flops},
                                    {"live_bytes", section.liveBytes},
                                    {"hidden", section.hidden},
                                    {"ops", std::move(ops)},
                                    {"forward", ::toJson(section.forward)},
                                    {"recomputed", ::toJson(section.recomputed)},
                                    {"backward", ::toJson(section.backward)}});
  }
  return json::Object{{"step_seconds", step.sum()},     {"peak_bytes", step.peakBytes},
                      {"held_bytes", step.heldBytes},   {"reductions", step.reductions},
                      {"gathers", step.gathers},        {"hidden", step.hidden},
                      {"sections", std::move(sections)}};
}

static void printRow(llvm::StringRef name, const plan::Seconds &seconds) {
  if (seconds.sum() == 0)
    return;
  llvm::outs() << llvm::formatv("  {0,-12}", name);
  for (double each : {seconds.contraction, seconds.elementwise, seconds.reduction, seconds.movement,
                      seconds.communication, seconds.sum()})
    llvm::outs() << llvm::formatv(" {0,13:f3}", each * 1e3);
  llvm::outs() << "\n";
}

void pcc::cli::printTable(const plan::StepCost &step) {
  for (const plan::SectionCost &section : step.sections) {
    llvm::outs() << llvm::formatv("section {0}, {1} run{2} per step: {3:f3} ms, {4:f3} GB live\n",
                                  section.name, section.runs, section.runs == 1 ? "" : "s",
                                  section.sum() * 1e3,
                                  static_cast<double>(section.liveBytes) / 1e9);
    llvm::outs() << llvm::formatv("  {0,-12} {1,13} {2,13} {3,13} {4,13} {5,13} {6,13}\n", "ms",
                                  "contraction", "elementwise", "reduction", "movement",
                                  "communication", "sum");
    printRow("forward", section.forward);
    printRow("recomputed", section.recomputed);
    printRow("backward", section.backward);
    if (section.hidden > 0)
      llvm::outs() << llvm::formatv("  hidden communication: {0:f3}\n", section.hidden * 1e3);
  }
  if (step.reductions + step.gathers > 0)
    llvm::outs() << llvm::formatv("gradient reductions {0:f3} ms, parameter gathers {1:f3} ms, of "
                                  "which hidden {2:f3} ms\n",
                                  step.reductions * 1e3, step.gathers * 1e3, step.hidden * 1e3);
  llvm::outs() << llvm::formatv("total per step: {0:f3} ms, {1:f3} GB\n", step.sum() * 1e3,
                                static_cast<double>(step.peakBytes) / 1e9);
  llvm::outs().flush();
}
