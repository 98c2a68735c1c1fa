// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time model of gradient fusion and its verifier. The verifier simulates the one channel:
// buckets run in the order in which their last gradients become ready, one at a time.
#include "passes/solve/buckets/BucketProblem.h"

#include <algorithm>
#include <limits>

namespace pcc::buckets {

double BucketProblem::timeOf(int64_t bytes, int64_t members) const {
  double fastest = std::numeric_limits<double>::infinity();
  for (const MessageTime &algorithm : algorithms)
    fastest = std::min(fastest, algorithm.latency + algorithm.perByte * double(bytes));
  return fastest + (members > 1 ? copyPerByte * double(bytes) : 0);
}

namespace {
struct Message {
  double ready = 0;
  int64_t bytes = 0;
  int64_t members = 0;
};
} // namespace

static std::string describe(const BucketProblem &problem, int gradient) {
  const std::string &name = problem.gradients[gradient].name;
  return name.empty() ? "gradient " + std::to_string(gradient) : "'" + name + "'";
}

static std::string checkMembers(const BucketProblem &problem, const Buckets &buckets) {
  std::vector<int> count(problem.gradients.size());
  for (const std::vector<int> &bucket : buckets)
    for (int member : bucket) {
      if (member < 0 || member >= int(count.size()))
        return "expected gradients 0 to " + std::to_string(int(count.size()) - 1) + ", got " +
               std::to_string(member);
      if (++count[member] > 1)
        return describe(problem, member) + " is in two buckets";
    }
  for (size_t i = 0; i < count.size(); ++i)
    if (count[i] == 0)
      return describe(problem, int(i)) + " is in no bucket";
  return "";
}

FusionVerdict verify(const BucketProblem &problem, const Buckets &buckets) {
  FusionVerdict verdict;
  verdict.error = checkMembers(problem, buckets);
  if (!verdict.ok())
    return verdict;
  std::vector<Message> messages;
  double computed = problem.computed;
  for (const std::vector<int> &bucket : buckets) {
    Message message{0, 0, int64_t(bucket.size())};
    for (int member : bucket) {
      message.ready = std::max(message.ready, problem.gradients[member].ready);
      message.bytes += problem.gradients[member].bytes;
    }
    if (problem.limit > 0 && bucket.size() > 1 && message.bytes > problem.limit) {
      verdict.error = "a bucket of " + std::to_string(message.bytes) + " bytes, expected at most " +
                      std::to_string(problem.limit);
      return verdict;
    }
    computed = std::max(computed, message.ready);
    messages.push_back(message);
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message &a, const Message &b) { return a.ready < b.ready; });
  for (const Message &message : messages)
    verdict.finish =
        std::max(verdict.finish, message.ready) + problem.timeOf(message.bytes, message.members);
  verdict.exposed = std::max(0.0, verdict.finish - computed);
  return verdict;
}

} // namespace pcc::buckets
