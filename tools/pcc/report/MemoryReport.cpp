// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/report/MemoryReport.h"

#include "passes/analysis/OpNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

/// Formats `((2,1),(1,4))`.
static std::string print(llvm::ArrayRef<std::vector<int64_t>> tensors) {
  std::vector<std::string> tuples;
  for (const std::vector<int64_t> &counts : tensors) {
    auto numbers = llvm::map_range(counts, [](int64_t count) { return std::to_string(count); });
    tuples.push_back("(" + llvm::join(numbers, ",") + ")");
  }
  return "(" + llvm::join(tuples, ",") + ")";
}

MemoryReport::MemoryReport(const strategy::MemoryOutcome &outcome)
    : mesh(outcome.program.mesh.str()), status(solve::stringify(outcome.result.status)),
      price(outcome.cost), total(outcome.total), bound(outcome.bound), seconds(outcome.seconds) {
  llvm::StringMap<unsigned> seen;
  for (const strategy::MemoryChoice &choice : outcome.choices) {
    std::string name = analysis::getName(choice.op).str();
    if (unsigned number = seen[name]++)
      name += "#" + std::to_string(number);
    ops.push_back({name, ::print(choice.operands), ::print(choice.results), choice.total});
  }
}

json::Value MemoryReport::toJson() const {
  json::Object plan;
  for (const Op &op : ops)
    plan[op.name] =
        json::Object{{"in_strategy", op.in}, {"out_strategy", op.out}, {"cost", op.total}};
  return json::Object{{"cost", total},
                      {"bound", bound},
                      {"status", status},
                      {"seconds", seconds},
                      {"mesh", mesh},
                      {"computation", price.computation},
                      {"activations", price.activations},
                      {"parameters", price.parameters},
                      {"ops", std::move(plan)}};
}

void MemoryReport::print() const {
  llvm::outs() << llvm::formatv("{0}: cost {1:f1}, bound {2:f1}, {3:f3} s, mesh {4}\n", status,
                                total, bound, seconds, mesh)
               << llvm::formatv("computation {0:f0}, activations {1:f0}, parameters {2:f0} bytes\n",
                                price.computation, price.activations, price.parameters);
  std::vector<Op> costliest = ops;
  llvm::stable_sort(costliest, [](const Op &lhs, const Op &rhs) { return lhs.total > rhs.total; });
  constexpr size_t maxShown = 20;
  costliest.resize(std::min(costliest.size(), maxShown));
  if (!costliest.empty())
    llvm::outs() << llvm::formatv("\n{0} ops; the most expensive:\n", ops.size());
  for (const Op &op : costliest)
    llvm::outs() << llvm::formatv("{0,16:f1}  {1}: {2} -> {3}\n", op.total, op.name, op.in, op.out);
}
