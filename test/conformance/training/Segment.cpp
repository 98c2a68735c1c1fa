// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MindSpore's last pass over a list of all-reduces. By size, the all-reduce that exceeds
// a threshold closes a bucket; by index, each index does. The optimum never finishes later.
#include "test/conformance/training/Case.h"

#include "passes/solve/buckets/BucketRules.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/CollectiveCost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace pcc;

namespace pcc::conformance {
namespace {

/// Bytes of one threshold unit: this pass treats a threshold of N as a number of elements. The
/// default is 64.
constexpr int64_t thresholdUnit = 262144;

buckets::Buckets chooseBuckets(const llvm::json::Object &options,
                               const std::vector<int64_t> &bytes) {
  if (const llvm::json::Array *indices = options.getArray("all_reduce_fusion_config")) {
    std::vector<int64_t> ends;
    for (int64_t index : integers(*indices))
      ends.push_back(index + 1); // gradients up to and including the index
    return buckets::fuseByIndex(int(bytes.size()), ends);
  }
  int64_t threshold = 64;
  if (const llvm::json::Object *fusion = options.getObject("comm_fusion"))
    threshold = fusion->getObject("allreduce")->getInteger("config").value_or(threshold);
  return buckets::fuseBySize(bytes, threshold * thresholdUnit, buckets::SizeRule::Closes);
}

/// Makes the problem of a list. Each gradient is computed in proportion to its size. All are
/// computed in `share` of the time that their all-reduce takes as one bucket.
buckets::BucketProblem poseProblem(const Case &question, const std::vector<int64_t> &bytes,
                                   double share) {
  abi::Cluster cluster =
      *machine::parseCluster(llvm::formatv("{0}xV100", question.devices).str(), question.devices);
  std::vector<int64_t> ranks(question.devices);
  std::iota(ranks.begin(), ranks.end(), 0);
  machine::GroupLayout group = machine::GroupLayout::of(ranks, cluster);
  auto seconds = [&](double size) {
    return machine::estimateCollectiveCost(cluster, group, {abi::ALL_REDUCE, size}).seconds;
  };
  double total = double(std::accumulate(bytes.begin(), bytes.end(), int64_t(0)));
  double perByte = (seconds(2 * total) - seconds(total)) / total;
  buckets::BucketProblem problem;
  problem.algorithms = {{seconds(total) - perByte * total, perByte}};
  double ready = 0;
  for (int64_t size : bytes)
    problem.gradients.push_back({ready += share * seconds(total) * double(size) / total, size});
  return problem;
}

} // namespace

Judgement judgeSegment(const Case &question, mlir::MLIRContext &) {
  std::vector<int64_t> bytes = integers(*question.object->getArray("elements"));
  for (int64_t &size : bytes)
    size *= question.object->getString("dtype") == llvm::StringRef("float16") ? 2 : 4;
  buckets::Buckets buckets = chooseBuckets(*question.object->getObject("options"), bytes);
  std::vector<int64_t> last;
  for (const std::vector<int> &bucket : buckets)
    last.push_back(bucket.back());
  std::vector<int64_t> expected = integers(*question.object->getArray("segments"));
  auto text = [](const std::vector<int64_t> &list) {
    std::string words;
    for (int64_t index : list)
      words += (words.empty() ? "" : " ") + std::to_string(index);
    return words;
  };
  if (last != expected)
    return {Verdict::Failed, "expected ends at " + text(expected) + "; got " + text(last)};
  std::string times;
  for (double share : {0.25, 1.0, 4.0}) {
    buckets::BucketProblem problem = poseProblem(question, bytes, share);
    double best = buckets::verify(problem, buckets::fuseOptimally(problem)).exposed,
           theirs = buckets::verify(problem, buckets).exposed;
    times += llvm::formatv("{0}{1:f1} us, theirs {2:f1}", times.empty() ? "auto exposes " : "; ",
                           best * 1e6, theirs * 1e6);
    if (best > theirs * (1 + 1e-9))
      return {Verdict::Failed, times};
  }
  return {Verdict::Same, text(last) + "; " + times};
}

} // namespace pcc::conformance
