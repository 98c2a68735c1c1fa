// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the rules by which gradients share buckets: ResNet-50 and GPT-2 of 124M, data parallel
// on 8 V100s over Ethernet, InfiniBand and NVLink. Prints the time of the gradients' reductions
// that is left behind the backward pass. Measures nothing: the machine's cost model gives when
// gradients are ready and what buckets take.
//   fusion-times

#include "compiler/Compile.h"
#include "compiler/Register.h"
#include "compiler/example/Example.h"
#include "passes/schedule/collectives/FusionRecords.h"
#include "passes/solve/buckets/BucketRules.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/UniformLink.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;

namespace {

constexpr int64_t devices = 8;

struct Model {
  llvm::StringLiteral name, example;
  std::initializer_list<std::pair<const char *, int64_t>> sizes; ///< for the whole batch
};

const Model models[] = {
    {"ResNet-50, 32 images", "resnet", {{"depth", 50}, {"batch", 32 * devices}}},
    {"GPT-2 124M, 4 x 1024",
     "gpt2",
     {{"batch", 4 * devices},
      {"sequence", 1024},
      {"layers", 12},
      {"width", 768},
      {"heads", 12},
      {"vocabulary", 50257}}},
};

struct Network {
  llvm::StringLiteral name, link; ///< link: empty: the machine's own links
};

constexpr Network networks[] = {{"10 Gb", "10Gbps,30us"}, {"56 Gb", "56Gbps,3us"}, {"NVLink", ""}};

struct BucketRule {
  llvm::StringLiteral name;
  buckets::Buckets (*share)(const buckets::BucketProblem &problem);
};

/// Fuses as frameworks do: sends a bucket when it reaches so many megabytes.
template <int64_t megabytes> buckets::Buckets fuseMegabytes(const buckets::BucketProblem &problem) {
  std::vector<int64_t> sizes;
  for (const buckets::Gradient &gradient : problem.gradients)
    sizes.push_back(gradient.bytes);
  return buckets::fuseBySize(sizes, megabytes << 20, buckets::SizeRule::Closes);
}

/// Adds a gradient to the previous bucket if both end earlier together than one after the other.
/// Systems with a lookahead of one gradient do this (MG-WFBP, Shi, Chu and Li, INFOCOM 2019).
buckets::Buckets fuseGreedily(const buckets::BucketProblem &problem) {
  buckets::Buckets result;
  double free = 0;   ///< time at which the channel has sent all buckets but the last
  int64_t bytes = 0; ///< bytes of the last bucket
  for (int i = 0; i < int(problem.gradients.size()); ++i) {
    const buckets::Gradient &gradient = problem.gradients[i];
    if (i > 0) {
      int64_t members = int64_t(result.back().size());
      double ready = problem.gradients[i - 1].ready;
      double sent = std::max(free, ready) + problem.timeOf(bytes, members);
      double apart = std::max(sent, gradient.ready) + problem.timeOf(gradient.bytes, 1);
      double together =
          std::max(free, gradient.ready) + problem.timeOf(bytes + gradient.bytes, members + 1);
      bool fits = problem.limit == 0 || bytes + gradient.bytes <= problem.limit;
      if (fits && together < apart) {
        result.back().push_back(i);
        bytes += gradient.bytes;
        continue;
      }
      free = sent;
    }
    result.push_back({i});
    bytes = gradient.bytes;
  }
  return result;
}

const BucketRule bucketRules[] = {
    {"each",
     [](const buckets::BucketProblem &p) { return buckets::fuseNone(int(p.gradients.size())); }},
    {"one",
     [](const buckets::BucketProblem &p) { return buckets::fuseAll(int(p.gradients.size())); }},
    {"25 MB", fuseMegabytes<25>},
    {"64 MB", fuseMegabytes<64>},
    {"if it helps", fuseGreedily},
    {"optimum", buckets::fuseOptimally},
};

abi::Cluster makeMachine(const Network &network) {
  abi::Cluster cluster = *machine::parseCluster(llvm::formatv("{0}xV100", devices).str(), devices);
  if (!network.link.empty())
    machine::setLinks(cluster, *machine::parseLink(network.link.str()));
  return cluster;
}

mlir::OwningOpRef<mlir::ModuleOp> build(const Model &model, mlir::MLIRContext &context) {
  const example::Example *found = llvm::find_if(
      example::listExamples(), [&](const example::Example &e) { return e.name == model.example; });
  example::Sizes sizes;
  for (const example::SizeOption &option : found->sizes)
    sizes[option.name] = option.value;
  for (const auto &[name, value] : model.sizes)
    sizes[name] = value;
  return found->build(sizes, mlir::Float32Type::get(&context));
}

void printRow(const buckets::BucketProblem &problem, const Model &model, const Network &network) {
  int64_t bytes = 0;
  for (const buckets::Gradient &gradient : problem.gradients)
    bytes += gradient.bytes;
  llvm::outs() << llvm::formatv("{0,-22}{1,-8}{2,5}{3,8:f1}{4,9:f1}", model.name, network.name,
                                problem.gradients.size(), double(bytes) / (1 << 20),
                                problem.computed * 1e3);
  for (const BucketRule &rule : bucketRules)
    llvm::outs() << llvm::formatv(
        "{0,13}",
        llvm::formatv("{0:f2}", buckets::verify(problem, rule.share(problem)).exposed * 1e3).str());
  llvm::outs() << llvm::formatv("{0,10}\n", buckets::fuseOptimally(problem).size());
}

bool timeModel(const Model &model, const Network &network, mlir::MLIRContext &context) {
  CompileOptions options;
  options.training.loss = "softmax_cross_entropy";
  options.training.optimizer = "sgd,lr=0.01";
  options.parallel.set_device_num(devices);
  options.parallel.set_parallel_mode(abi::DATA_PARALLEL);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  options.cluster = makeMachine(network);
  options.recordsFusion = true;
  mlir::OwningOpRef<mlir::ModuleOp> module = build(model, context);
  if (mlir::failed(runPhases(*module, options, CompilePhase::Schedule)))
    return false;
  for (schedule::FusionOutcome &outcome : schedule::readFusionRecords(*module))
    if (outcome.section.getName() == "update")
      printRow(outcome.problem, model, network);
  return true;
}

} // namespace

int main() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::outs() << llvm::formatv("{0,-22}{1,-8}{2,5}{3,8}{4,9}", "model", "links", "grads", "MB",
                                "step ms");
  for (const BucketRule &rule : bucketRules)
    llvm::outs() << llvm::formatv("{0,13}", rule.name);
  llvm::outs() << llvm::formatv("{0,10}\n", "messages");
  for (const Model &model : models)
    for (const Network &network : networks)
      if (!timeModel(model, network, context))
        return 1;
  return 0;
}
