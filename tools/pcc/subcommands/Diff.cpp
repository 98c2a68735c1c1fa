// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc diff: lists the differences between two strategy checkpoints.

#include "runtime/abi/StrategyFile.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/report/StrategyDifferences.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {

json::Value toJson(const std::optional<std::string> &text) {
  return text ? json::Value(*text) : json::Value(nullptr);
}

json::Value toJson(llvm::ArrayRef<StrategyDifference> differences) {
  json::Array rows;
  for (const StrategyDifference &difference : differences)
    rows.push_back(json::Object{{"what", difference.what},
                                {"name", difference.name},
                                {"field", difference.field},
                                {"a", toJson(difference.a)},
                                {"b", toJson(difference.b)}});
  return rows;
}

/// Prints one line per difference: `op forward:fc1, input 0: (2, 1) [dp, _] | (1, 1) [_, _]`.
void printLines(llvm::ArrayRef<StrategyDifference> differences) {
  for (const StrategyDifference &difference : differences) {
    llvm::outs() << difference.what;
    if (!difference.name.empty())
      llvm::outs() << " " << difference.name;
    if (!difference.field.empty())
      llvm::outs() << ", " << difference.field;
    llvm::outs() << ": " << difference.a.value_or("none") << " | " << difference.b.value_or("none")
                 << "\n";
  }
  llvm::outs() << "differences: " << differences.size() << "\n";
  llvm::outs().flush();
}

class DiffSubcommand : public Subcommand {
public:
  DiffSubcommand()
      : Subcommand("diff", "lists the differences between two strategy files"),
        a(cl::Positional, cl::desc("A"), cl::Required, cl::sub(command)),
        b(cl::Positional, cl::desc("B"), cl::Required, cl::sub(command)), format(command) {}

  ExitCode run() override {
    abi::Expected<abi::Strategy> first = abi::readStrategy(a), second = abi::readStrategy(b);
    for (const auto *read : {&first, &second})
      if (!*read)
        return fail(BadInput, read->status().message());
    std::vector<StrategyDifference> differences = compareStrategies(*first, *second);
    format.isJson() ? printJson(toJson(differences)) : printLines(differences);
    return differences.empty() ? Success : Mismatch;
  }

private:
  cl::opt<std::string> a, b;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeDiffSubcommand() {
  return std::make_unique<DiffSubcommand>();
}
