// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each option shows the step time of the best plan that takes it, the option's min-marginal. The
// excess over the chosen plan is the cost of forcing the option.
#include "tools/pcc/report/ExplainReports.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
using pcc::strategy::PlanAlternative;
namespace json = llvm::json;

static std::vector<std::string> print(llvm::ArrayRef<dist::Sharding> shardings) {
  std::vector<std::string> texts;
  for (const dist::Sharding &sharding : shardings)
    texts.push_back(sharding.str());
  return texts;
}

static json::Object toJson(const strategy::Objection &against) {
  return json::Object{{"from", against.from},       {"to", against.to},
                      {"made", against.made.str()}, {"wanted", against.wanted.str()},
                      {"steps", against.steps},     {"before", against.before},
                      {"after", against.after}};
}

static json::Object toJson(const PlanAlternative &option) {
  json::Array collectives;
  for (const strategy::OwnCollective &own : option.collectives)
    collectives.push_back(json::Object{{"collective", own.text}, {"seconds", own.seconds}});
  json::Object row{{"chosen", option.isChosen},
                   {"split", option.description},
                   {"in_strategy", print(option.opSharding.operands)},
                   {"out_strategy", print(option.opSharding.results)},
                   {"seconds", option.seconds},
                   {"bytes", option.bytes},
                   {"collectives", std::move(collectives)},
                   {"status", solve::stringify(option.best.status)},
                   {"cost", nullptr},
                   {"bound", strategy::toSeconds(option.best.bound)},
                   {"against", nullptr}};
  if (option.best.hasSolution())
    row["cost"] = strategy::toSeconds(option.best.cost);
  if (option.objection)
    row["against"] = toJson(*option.objection);
  return row;
}

json::Value pcc::cli::toJson(const strategy::OpExplanation &explanation) {
  json::Array options;
  for (const PlanAlternative &option : explanation.options)
    options.push_back(::toJson(option));
  return json::Object{{"op", explanation.name},
                      {"section", explanation.section},
                      {"rule", explanation.rule},
                      {"runs", explanation.runs},
                      {"mesh", explanation.mesh.str()},
                      {"cost", strategy::toSeconds(explanation.cost)},
                      {"bound", strategy::toSeconds(explanation.bound)},
                      {"options", std::move(options)}};
}

/// Formats the step time of the best plan with the option and its excess over the chosen plan, or
/// why there is no such plan.
static std::string describePlan(const PlanAlternative &option, solve::Int128 plan) {
  if (option.best.status == solve::SolveStatus::Infeasible)
    return llvm::formatv("{0,22}", "does not fit");
  if (!option.best.hasSolution())
    return llvm::formatv("{0,22}", "no plan found in time");
  double more = 100 * (static_cast<double>(option.best.cost) / static_cast<double>(plan) - 1);
  return llvm::formatv("{0,12:f4} {1,9:f3}", strategy::toSeconds(option.best.cost) * 1e3, more);
}

static void printOption(const PlanAlternative &option, solve::Int128 plan) {
  llvm::outs() << llvm::formatv("{0} {1} {2,10:f2}  {3}\n", option.isChosen ? "*" : " ",
                                describePlan(option, plan), option.seconds * 1e6,
                                option.description);
  std::string indent(37, ' ');
  std::string in = llvm::join(print(option.opSharding.operands), ", ");
  std::string out = llvm::join(print(option.opSharding.results), ", ");
  llvm::outs() << indent << (in == out ? in : in + " -> " + out) << "\n";
  for (const strategy::OwnCollective &own : option.collectives)
    llvm::outs() << indent << llvm::formatv("runs {0}, {1:f2} us\n", own.text, own.seconds * 1e6);
  if (option.best.hasSolution() && option.best.bound < option.best.cost)
    llvm::outs() << indent
                 << llvm::formatv("lower bound {0:f4} ms\n",
                                  strategy::toSeconds(option.best.bound) * 1e3);
  if (const std::optional<strategy::Objection> &against = option.objection)
    llvm::outs() << indent
                 << llvm::formatv(
                        "main extra reshard: {0} {1} to {2} {3} takes {4}, {5:f2} us more\n",
                        against->from, against->made.str(), against->to, against->wanted.str(),
                        against->steps, (against->after - against->before) * 1e6);
}

void pcc::cli::printTable(const strategy::OpExplanation &explanation) {
  llvm::outs() << explanation.name;
  if (!explanation.section.empty())
    llvm::outs() << llvm::formatv(", in section {0}, {1} run{2} per step", explanation.section,
                                  explanation.runs, explanation.runs == 1 ? "" : "s");
  bool isAlone = explanation.mesh.getNumRanks() == 1;
  llvm::outs() << (isAlone ? ", on one device" : ", on mesh " + explanation.mesh.str()) << "\n";
  if (!explanation.rule.empty())
    llvm::outs() << explanation.rule << "\n";
  llvm::outs() << llvm::formatv("plan: {0:f4} ms per step, lower bound {1:f4} ms\n\n",
                                strategy::toSeconds(explanation.cost) * 1e3,
                                strategy::toSeconds(explanation.bound) * 1e3);
  llvm::outs() << llvm::formatv("  {0,12} {1,9} {2,10}  {3}\n", "step ms", "excess %", "op us",
                                "option");
  for (const PlanAlternative &option : explanation.options)
    printOption(option, explanation.cost);
  llvm::outs().flush();
}
