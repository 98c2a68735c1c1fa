// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buckets of gradients and fused collectives of parameters. Under the question's rule the same
// collectives are fused. The optimum leaves no more exposed time than the answer's buckets do on
// the same machine.
#include "test/conformance/training/Step.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Stages.h"
#include "passes/schedule/collectives/FusionRecords.h"
#include "passes/solve/buckets/BucketRules.h"
#include "runtime/machine/Cluster.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace pcc::conformance {
namespace {

/// By kind of collective, the parameters of each fused collective.
using Messages = std::map<std::string, std::set<std::set<std::string>>>;

/// Options of one compilation.
struct FusionOptions {
  std::string commFusion, allReduceConfig;
};

/// The question's rules as compile options.
struct Rules {
  FusionOptions options;
  std::string difference;  ///< intended difference from MindSpore; empty without one
  bool countsOnly = false; ///< compare only the sizes of fused collectives, not their members
  /// Options of which the documents demand something else than MindSpore does. The
  /// buckets of these options are compared with the rule itself.
  std::optional<FusionOptions> documented;
};

/// Returns the rule of a kind of collectives. Without a rule MindSpore fuses all of
/// them.
std::string ruleOf(const llvm::json::Object *fusion, llvm::StringRef kind) {
  const llvm::json::Object *rule = fusion ? fusion->getObject(kind) : nullptr;
  if (!rule || rule->getString("mode") != llvm::StringRef("size"))
    return "all";
  return "size:" + std::to_string(*rule->getInteger("config"));
}

/// Converts indices: MindSpore counts from the last gradient, and includes each index.
std::vector<int64_t> reverseIndices(const llvm::json::Array &given, int64_t count) {
  std::vector<int64_t> indices = integers(given), ends;
  for (int64_t index : llvm::reverse(indices))
    if (index + 1 < count)
      ends.push_back(count - index - 1);
  return ends;
}

std::string listText(const std::vector<int64_t> &numbers) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::interleaved(numbers, ",");
  return text;
}

Rules readRules(const Case &question, const StepOptions &given) {
  const llvm::json::Object *options = question.object->getObject("options");
  const llvm::json::Object *fusion = options->getObject("comm_fusion");
  std::string allReduce = ruleOf(fusion, "allreduce");
  Rules rules;
  rules.options.commFusion = "all_reduce=" + allReduce +
                             ", all_gather=" + ruleOf(fusion, "allgather") + ", reduce_scatter=all";
  const llvm::json::Array *indices = options->getArray("all_reduce_fusion_config");
  std::string config =
      indices ? listText(reverseIndices(*indices, int64_t(question.parameters.size()))) : "";
  if (indices && question.mode == "data_parallel") {
    rules.options.allReduceConfig = config;
    rules.difference =
        "indices count gradients in the order in which they are ready here: " + config;
    rules.countsOnly = true;
  } else if (indices) {
    rules.documented = {"", config};
    rules.difference = "indices are obeyed in all modes";
  } else if (given.stages > 1 && llvm::StringRef(allReduce).starts_with("size")) {
    rules.documented = rules.options;
    rules.options.commFusion = "all";
    rules.difference = "sizes are obeyed with pipelines";
  }
  if (fusion && fusion->getBoolean("openstate") == false) {
    rules.documented = {"off", ""};
    rules.difference = "off: none shares a message";
  }
  return rules;
}

Messages readMessages(const Case &question) {
  Messages messages;
  for (const llvm::json::Value &value : *question.object->getArray("buckets")) {
    const llvm::json::Object &bucket = *value.getAsObject();
    std::set<std::string> names;
    for (const llvm::json::Value &name : *bucket.getArray("of"))
      names.insert(name.getAsString()->str());
    messages[bucket.getString("op")->str()].insert(names);
  }
  return messages;
}

/// The compiler's buckets, and the exposed time of the answer's buckets.
struct Decisions {
  Messages messages;
  double exposed = 0, theirs = 0; ///< seconds
  std::vector<schedule::FusionOutcome> outcomes;
};

std::string kindOf(const schedule::FusionOutcome &outcome) {
  if (outcome.kind == "all_reduce")
    return "AllReduce";
  return outcome.kind == "all_gather" ? "AllGather" : "ReduceScatter";
}

/// Returns the answer's buckets for the gradients of one problem.
buckets::Buckets bucketsOf(const buckets::BucketProblem &problem,
                           const std::set<std::set<std::string>> &messages) {
  buckets::Buckets buckets;
  for (const std::set<std::string> &message : messages) {
    std::vector<int> bucket;
    for (auto [index, gradient] : llvm::enumerate(problem.gradients))
      if (message.contains(gradient.name))
        bucket.push_back(int(index));
    if (!bucket.empty())
      buckets.push_back(bucket);
  }
  return buckets;
}

void observe(const schedule::FusionOutcome &outcome, const Messages &theirs, Decisions &decisions) {
  decisions.outcomes.push_back(outcome);
  std::string kind = kindOf(outcome);
  for (const std::vector<int> &bucket : outcome.buckets) {
    std::set<std::string> names;
    for (int gradient : bucket)
      names.insert(outcome.problem.gradients[gradient].name);
    decisions.messages[kind].insert(names);
  }
  auto messages = theirs.find(kind);
  if (messages == theirs.end())
    return;
  decisions.exposed += buckets::verify(outcome.problem, outcome.buckets).exposed;
  decisions.theirs +=
      buckets::verify(outcome.problem, bucketsOf(outcome.problem, messages->second)).exposed;
}

/// Annotates parameters with the numbers that the question gives them.
void numberParameters(const Case &question, ModuleOp module) {
  for (auto parameter : module.getOps<graph::ParameterOp>())
    if (std::optional<int64_t> number = question.object->getObject("params")
                                            ->getObject(parameter.getSymName())
                                            ->getInteger("comm_fusion"))
      parameter->setAttr(dist::fusionAttrName, Builder(module).getI64IntegerAttr(*number));
}

/// Compiles the question by the options `fusion`; fails with the errors.
llvm::Expected<Decisions> decide(const Case &question, const StepOptions &given,
                                 const FusionOptions &fusion, const Messages &theirs,
                                 MLIRContext &context) {
  CompileOptions options = makeStepOptions(question, given);
  options.parallel.set_comm_fusion(fusion.commFusion);
  options.parallel.set_all_reduce_fusion_config(fusion.allReduceConfig);
  options.parallel.set_size_rule(abi::SIZE_RULE_REFERENCE);
  options.cluster =
      *machine::parseCluster(llvm::formatv("{0}xV100", question.devices).str(), question.devices);
  options.recordsFusion = true;
  llvm::Expected<CompiledStep> compiled =
      compileStep(question, given, options, CompilePhase::Schedule, context,
                  [&](ModuleOp module) { numberParameters(question, module); });
  if (!compiled)
    return compiled.takeError();
  if (!compiled->module)
    return llvm::createStringError(compiled->error);
  FailureOr<SmallVector<ModuleOp>> programs = pipe::listPrograms(*compiled->module);
  if (failed(programs))
    return llvm::createStringError(compiled->error);
  Decisions decisions;
  for (ModuleOp program : *programs) {
    auto stage = program->getAttrOfType<IntegerAttr>(pipe::stageAttrName);
    if (!stage || stage.getInt() == given.rank / given.ranks)
      for (const schedule::FusionOutcome &outcome : schedule::readFusionRecords(program))
        observe(outcome, theirs, decisions);
  }
  return decisions;
}

/// Returns, by kind, the numbers of collectives in each bucket.
std::map<std::string, std::multiset<size_t>> countMembers(const Messages &messages) {
  std::map<std::string, std::multiset<size_t>> counts;
  for (const auto &[kind, ofKind] : messages)
    for (const std::set<std::string> &message : ofKind)
      counts[kind].insert(message.size());
  return counts;
}

std::string describe(const Messages &messages) {
  std::string text;
  for (const auto &[kind, ofKind] : messages) {
    text += (text.empty() ? "" : "; ") + kind;
    for (const std::set<std::string> &message : ofKind)
      text += " {" + llvm::join(message, " ") + "}";
  }
  return text;
}

/// Returns the buckets of all-reduces that the rule of `options` demands.
buckets::Buckets applyRule(const buckets::BucketProblem &problem, const FusionOptions &options) {
  int count = int(problem.gradients.size());
  llvm::StringRef size = options.commFusion;
  if (size.consume_front("all_reduce=size:")) {
    constexpr int64_t unit = 1 << 20;
    int64_t threshold = 0;
    size.consumeInteger(10, threshold);
    std::vector<int64_t> bytes;
    for (const buckets::Gradient &gradient : problem.gradients)
      bytes.push_back(gradient.bytes);
    return buckets::fuseBySize(bytes, threshold * unit, buckets::SizeRule::Reference);
  }
  llvm::SmallVector<llvm::StringRef> texts;
  llvm::StringRef(options.allReduceConfig).split(texts, ',', -1, /*KeepEmpty=*/false);
  std::vector<int64_t> ends;
  for (llvm::StringRef text : texts)
    text.getAsInteger(10, ends.emplace_back());
  return ends.empty() ? buckets::fuseNone(count) : buckets::fuseByIndex(count, ends);
}

/// Returns how the program compiled by documented options departs from their rule; empty if it does
/// not. A rule without an effect explains no difference.
std::string checkDocumented(const Decisions &decisions, const FusionOptions &options,
                            const Messages &theirs) {
  for (const schedule::FusionOutcome &outcome : decisions.outcomes)
    if (buckets::Buckets expected = applyRule(outcome.problem, options);
        kindOf(outcome) == "AllReduce" && expected != outcome.buckets)
      return llvm::formatv("by '{0}{1}': expected {2} buckets, got {3}", options.commFusion,
                           options.allReduceConfig, expected.size(), outcome.buckets.size());
  return decisions.messages == theirs ? "the documented rule has no effect" : "";
}

} // namespace

Judgement judgeFusion(const Case &question, MLIRContext &context) {
  StepOptions given(question);
  Messages expected = readMessages(question);
  Rules rules = readRules(question, given);
  llvm::Expected<Decisions> ruled = decide(question, given, rules.options, expected, context);
  if (!ruled)
    return {Verdict::Failed, llvm::toString(ruled.takeError())};
  bool isSame = rules.countsOnly ? countMembers(ruled->messages) == countMembers(expected)
                                 : ruled->messages == expected;
  if (!isSame)
    return {Verdict::Failed,
            "expected " + describe(expected) + "; got " + describe(ruled->messages)};
  if (rules.documented) {
    llvm::Expected<Decisions> obeyed =
        decide(question, given, *rules.documented, expected, context);
    if (!obeyed)
      return {Verdict::Failed, llvm::toString(obeyed.takeError())};
    if (std::string error = checkDocumented(*obeyed, *rules.documented, expected); !error.empty())
      return {Verdict::Failed, rules.difference + ": " + error};
  }
  llvm::Expected<Decisions> best = decide(question, given, {"auto", ""}, expected, context);
  if (!best)
    return {Verdict::Failed, llvm::toString(best.takeError())};
  std::string times = llvm::formatv("auto exposes {0:f1} us, theirs {1:f1} us", best->exposed * 1e6,
                                    best->theirs * 1e6);
  if (best->exposed > best->theirs * (1 + 1e-9))
    return {Verdict::Failed, times};
  if (!rules.difference.empty())
    return {Verdict::Differs, rules.difference + "; " + times};
  return {Verdict::Same, describe(expected) + "; " + times};
}

} // namespace pcc::conformance
