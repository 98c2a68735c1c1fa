// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc diff: lists the differences between two strategy checkpoints.

#include "runtime/abi/files/StrategyFile.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {

/// One difference.
struct StrategyDifference {
  std::string what;             ///< `fingerprint`, `mesh`, `op`, `parameter`, `input`
  std::string name;             ///< of the op (`forward:fc1`), parameter or input; else empty
  std::string field;            ///< `device_num`, `input 0`, `shape`; empty: the whole entry
  std::optional<std::string> a; ///< absent: the first checkpoint lacks it
  std::optional<std::string> b;
};

/// Description of one entry of a strategy: fields and their texts, in order.
struct Entry {
  std::string what, name;
  std::vector<std::pair<std::string, std::string>> fields;
};

template <typename Numbers> std::string join(const Numbers &numbers) {
  return llvm::join(llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ", ");
}

/// Formats `(2, 1) [dp, _]`. Counts are shown because equal axes may have different sizes.
std::string tensorText(const abi::TensorStrategy &tensor) {
  std::string counts = "(" + join(tensor.counts()) + ")";
  return tensor.sharding().empty() ? counts : counts + " " + tensor.sharding();
}

Entry describe(const abi::OpStrategy &op) {
  Entry entry{"op", op.section() + ":" + op.name(), {}};
  if (op.number())
    entry.name += "#" + std::to_string(op.number());
  for (auto [index, tensor] : llvm::enumerate(op.input()))
    entry.fields.emplace_back("input " + std::to_string(index), tensorText(tensor));
  for (auto [index, tensor] : llvm::enumerate(op.output()))
    entry.fields.emplace_back("output " + std::to_string(index), tensorText(tensor));
  return entry;
}

Entry describe(const abi::ParameterStrategy &parameter) {
  return {"parameter",
          parameter.name(),
          {{"shape", join(parameter.shape())},
           {"device_matrix", join(parameter.device_matrix())},
           {"slice_shape", join(parameter.slice_shape())},
           {"sharding", parameter.sharding()},
           {"optimizer_shard", parameter.optimizer_shard().sharding()}}};
}

Entry describe(const abi::InputStrategy &input) {
  return {
      "input", input.name(), {{"shape", join(input.shape())}, {"fed", tensorText(input.fed())}}};
}

std::string meshText(const abi::Mesh &mesh) {
  return llvm::join(llvm::map_range(mesh.axes(),
                                    [](const abi::MeshAxis &axis) {
                                      return axis.name() + "=" + std::to_string(axis.size());
                                    }),
                    ", ");
}

/// Lists the entries of the whole file.
std::vector<Entry> describe(const abi::Strategy &strategy) {
  const abi::StrategyFingerprint &fingerprint = strategy.fingerprint();
  std::vector<Entry> entries = {{"fingerprint",
                                 "",
                                 {{"model", fingerprint.model()},
                                  {"device_num", std::to_string(fingerprint.device_num())},
                                  {"mesh", fingerprint.mesh()},
                                  {"options", fingerprint.options()}}},
                                {"mesh", "", {{"axes", meshText(strategy.mesh())}}}};
  for (const auto &op : strategy.op())
    entries.push_back(describe(op));
  for (const auto &parameter : strategy.parameter())
    entries.push_back(describe(parameter));
  for (const auto &input : strategy.input())
    entries.push_back(describe(input));
  return entries;
}

using Key = std::pair<std::string, std::string>;

std::map<Key, const Entry *> indexByName(const std::vector<Entry> &entries) {
  std::map<Key, const Entry *> index;
  for (const Entry &entry : entries)
    index[{entry.what, entry.name}] = &entry;
  return index;
}

std::optional<std::string> findField(const Entry &entry, const std::string &field) {
  for (const auto &[name, text] : entry.fields)
    if (name == field)
      return text;
  return std::nullopt;
}

void compareFields(const Entry &a, const Entry &b, std::vector<StrategyDifference> &differences) {
  for (const auto &[field, text] : a.fields)
    if (std::optional<std::string> other = findField(b, field); other != text)
      differences.push_back({a.what, a.name, field, text, other});
  for (const auto &[field, text] : b.fields)
    if (!findField(a, field))
      differences.push_back({a.what, a.name, field, std::nullopt, text});
}

/// Formats the entry in one line.
std::string summarize(const Entry &entry) {
  return llvm::join(
      llvm::map_range(entry.fields,
                      [](const auto &field) { return field.first + " " + field.second; }),
      ", ");
}

/// Lists the differences: fingerprint and mesh first, then ops, parameters and inputs. Entries of
/// `a` come in its order, then the entries that only `b` has.
std::vector<StrategyDifference> compareStrategies(const abi::Strategy &a, const abi::Strategy &b) {
  std::vector<Entry> entriesOfA = describe(a), entriesOfB = describe(b);
  std::map<Key, const Entry *> ofA = indexByName(entriesOfA), ofB = indexByName(entriesOfB);
  std::vector<StrategyDifference> differences;
  for (const Entry &entry : entriesOfA) {
    auto found = ofB.find({entry.what, entry.name});
    if (found != ofB.end())
      compareFields(entry, *found->second, differences);
    else
      differences.push_back({entry.what, entry.name, "", summarize(entry), std::nullopt});
  }
  for (const Entry &entry : entriesOfB)
    if (!ofA.contains({entry.what, entry.name}))
      differences.push_back({entry.what, entry.name, "", std::nullopt, summarize(entry)});
  return differences;
}

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
