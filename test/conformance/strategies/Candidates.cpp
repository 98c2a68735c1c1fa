// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Candidates.h"

#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/LegalStrategies.h"
#include "test/conformance/strategies/Compiled.h"
#include "test/conformance/strategies/ModelWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace mlir;

namespace pcc::conformance {
namespace {

/// The compared part of a node: the op that reads the node's first operand, and the node's operands
/// that this op reads.
struct ReadBy {
  mlir::Operation *op;
  std::vector<unsigned> operands; ///< indices among the node's operands
  std::vector<unsigned> places;   ///< indices among the op's operands
};

/// Strategies of pcc for a node. The value is true if every strategy with these tuples splits a
/// factor that is whole in the op's rule.
using OurCandidates = std::map<Tuples, bool>;

mlir::Operation *findOp(ModuleOp module, StringRef name) {
  mlir::Operation *found = nullptr;
  module.walk([&](mlir::Operation *op) {
    if (isa<FactorRuleOpInterface>(op) && analysis::getName(op) == name)
      found = op;
  });
  return found;
}

ReadBy findReader(ModuleOp module, const NodeSites &sites) {
  ReadBy reader{findOp(module, sites.operands.front().op), {}, {}};
  for (auto [operand, site] : llvm::enumerate(sites.operands))
    if (site.op == sites.operands.front().op) {
      reader.operands.push_back(operand);
      reader.places.push_back(site.index);
    }
  return reader;
}

/// Reads MindSpore's strategies of one node.
std::set<Tuples> readTheirs(const llvm::json::Array &candidates, const ReadBy &reader) {
  std::set<Tuples> theirs;
  for (const llvm::json::Value &candidate : candidates) {
    Tuples tuples;
    for (unsigned operand : reader.operands)
      tuples.push_back(integers(*(*candidate.getAsArray())[operand].getAsArray()));
    theirs.insert(tuples);
  }
  return theirs;
}

OurCandidates listOurs(const ReadBy &reader, int64_t devices, analysis::DeviceUse use) {
  analysis::StrategySpace space(reader.op);
  analysis::StrategyList list = space.list(devices, use);
  OurCandidates ours;
  for (size_t index = 0; index < list.size(); ++index) {
    bool splitsWhole = llvm::any_of(
        llvm::zip_equal(list[index], space.getRule().getFactors()), [](const auto &pair) {
          return std::get<0>(pair) > 1 && std::get<1>(pair).kind == FactorKind::Whole;
        });
    Tuples tuples;
    for (unsigned place : reader.places) {
      auto counts = analysis::projectCounts(space.getRule().getOperands()[place], list[index]);
      tuples.emplace_back(counts.begin(), counts.end());
    }
    auto [known, isNew] = ours.try_emplace(tuples, splitsWhole);
    known->second &= splitsWhole;
  }
  return ours;
}

analysis::DeviceUse useOf(const Case &question) {
  const llvm::json::Object *options = question.object->getObject("options");
  bool isFull = options && options->getBoolean("fully_use_devices").value_or(false);
  return isFull ? analysis::DeviceUse::Full : analysis::DeviceUse::Any;
}

/// Findings of all nodes.
struct Found {
  int64_t same = 0;
  std::vector<std::string> wrong, beyond;
};

/// Returns why pcc may list more strategies of a node than MindSpore; empty if it may
/// not.
StringRef reasonForMore(const Node &node, bool splitWhole) {
  if (splitWhole)
    return "split what is whole there";
  return node.op == "Conv2D" ? "split more than the batch, beside which nothing is tried there"
                             : "";
}

void compareNode(const Case &question, const Node &node, const ReadBy &reader,
                 const llvm::json::Array &candidates, Found &found) {
  std::set<Tuples> theirs = readTheirs(candidates, reader);
  OurCandidates ours = listOurs(reader, question.devices, useOf(question));
  bool splitWhole = true;
  int64_t numMore = 0;
  for (const auto &[tuples, splitsWhole] : ours)
    if (!theirs.contains(tuples)) {
      ++numMore;
      splitWhole &= splitsWhole;
    }
  bool hasAll = llvm::all_of(theirs, [&](const Tuples &tuples) { return ours.contains(tuples); });
  StringRef reason = reasonForMore(node, splitWhole);
  if (!hasAll || (numMore > 0 && reason.empty()))
    found.wrong.push_back(llvm::formatv("{0}: expected {1} strategies, got {2}", node.name,
                                        theirs.size(), ours.size()));
  else if (numMore > 0)
    found.beyond.push_back(llvm::formatv("{0} more of \"{1}\" {2}", numMore, node.name, reason));
  else
    ++found.same;
}

} // namespace

Judgement judgeCandidates(const Case &question, MLIRContext &context) {
  const llvm::json::Object *candidates = question.object->getObject("candidates");
  Model model = makeModel(question);
  if (!candidates || !model.unknownOperator.empty())
    return {Verdict::Skipped, candidates ? "operator " + model.unknownOperator : "no candidates"};
  Program program = compileSingle(model.text, /*trains=*/false, context);
  if (!program.module)
    return {Verdict::Failed, program.error};
  Found found;
  for (const Node &node : question.nodes)
    if (const llvm::json::Array *listed = candidates->getArray(node.name);
        listed && node.op != "Reshape")
      compareNode(question, node, findReader(*program.module, model.nodes.at(node.name)), *listed,
                  found);
  if (!found.wrong.empty())
    return {Verdict::Failed, llvm::join(found.wrong, "; ")};
  if (!found.beyond.empty())
    return {Verdict::Differs, llvm::join(found.beyond, "; ")};
  return {Verdict::Same, llvm::formatv("strategies of {0} ops", found.same)};
}

} // namespace pcc::conformance
