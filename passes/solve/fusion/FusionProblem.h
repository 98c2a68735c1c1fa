// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which gradients to reduce in one message. They become ready one after the other in the last
// backward pass; messages go one after the other over one channel, each when all of its members
// are ready:
//
//   latency 1, 1 a byte         time  0    1    2    3    4    5    6
//   ready 0, 0.9, 1.8, a byte         a---------|
//   each                              b waits   b,c-----------|          5.0: a alone, b with c
//
// To merge whenever a message and the next gradient are through earlier together merges all three
// here, and ends at 5.8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::fusion {

/// What one algorithm takes for a message of S bytes: latency + S · perByte, in seconds.
struct MessageTime {
  double latency = 0;
  double perByte = 0;
};

struct Gradient {
  double ready = 0; ///< seconds from the begin of the last backward pass
  int64_t bytes = 0;
  std::string name = {};
};

/// Gradients of one type that are reduced alike over the same groups, in the order in which they
/// become ready.
struct FusionProblem {
  std::vector<Gradient> gradients;
  std::vector<MessageTime> algorithms; ///< the fastest is taken for each message; at least one
  double copyPerByte = 0; ///< to lay several gradients together and take them apart again, seconds
  int64_t limit = 0;      ///< bytes of a bucket of several; 0: any
  /// When the backward pass ends, where that is later than the last gradient.
  double computed = 0;

  /// Seconds of a message of so many bytes of so many gradients.
  double timeOf(int64_t bytes, int64_t members) const;
};

/// Each bucket's gradients, in ascending order.
using Buckets = std::vector<std::vector<int>>;

struct FusionVerdict {
  double finish = 0;  ///< when the last message is through, seconds
  double exposed = 0; ///< of these behind the backward pass
  std::string error;  ///< why these are no buckets; empty if they are

  bool ok() const { return error.empty(); }
};

/// When `buckets` are through, sent in the order in which they become ready (no other order ends
/// earlier), or the first thing that is wrong with them: a gradient in none or in several, a bucket
/// beyond the limit.
FusionVerdict verify(const FusionProblem &problem, const Buckets &buckets);

/// The buckets that are through first, by dynamic programming over the last bucket in O(L²) steps;
/// of two ways to begin that are through alike, the one of fewer buckets. They are contiguous. With
/// one algorithm, no cost of copies and no limit nothing else is through earlier: of two buckets
/// give the one sent first all that is ready by then; it starts as before, and what both have to
/// send remains the same.
Buckets fuseOptimally(const FusionProblem &problem);

/// The text form: a line for each fact, `#` to the end of a line is a comment.
///
///   algorithm 1 1      latency, seconds a byte
///   copy 0.1           seconds a byte
///   limit 1000         bytes
///   computed 5         seconds
///   gradient 0 1 w0    ready, bytes, name; the name may be left out
struct ParsedFusion {
  FusionProblem problem;
  std::string error; ///< with the line; empty if there is none
};
ParsedFusion parseProblem(const std::string &text);
std::string printProblem(const FusionProblem &problem);

/// `0 1 | 2`: gradients by number, buckets apart by bars.
std::string printBuckets(const Buckets &buckets);

} // namespace pcc::fusion
