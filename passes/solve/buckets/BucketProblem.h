// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradient fusion: which gradients to reduce in one bucket. Gradients become ready one by one in
// the last backward pass. Buckets are sent one by one over one channel, each when all of its
// gradients are ready:
//
//   latency 1, 1 per byte       time  0    1    2    3    4    5    6
//   a, b, c of 1 byte, ready          a---------|
//   at 0, 0.9, 1.8                    b waits   b,c-----------|          5.0: a alone, b with c
//
// A greedy rule merges the next gradient whenever both are sent earlier together. Here it merges
// all three and ends at 5.8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::buckets {

/// Time of a message of S bytes by one algorithm: latency + S · perByte, in seconds.
struct MessageTime {
  double latency = 0;
  double perByte = 0;
};

struct Gradient {
  double ready = 0; ///< seconds from the start of the last backward pass
  int64_t bytes = 0;
  std::string name = {};
};

/// Gradients of one type that are reduced in the same way over the same groups, in the order in
/// which they become ready.
struct BucketProblem {
  std::vector<Gradient> gradients;
  std::vector<MessageTime> algorithms; ///< the fastest is used for each message; at least one
  double copyPerByte = 0;              ///< seconds per byte to pack and unpack a bucket of several
  int64_t limit = 0; ///< maximum bytes of a bucket of several gradients; 0: no limit
  /// End of the backward pass, if later than the last gradient.
  double computed = 0;

  /// Returns the seconds of a message of `members` gradients and `bytes` in total.
  double timeOf(int64_t bytes, int64_t members) const;
};

/// The gradients of each bucket, in ascending order.
using Buckets = std::vector<std::vector<int>>;

struct FusionVerdict {
  double finish = 0;  ///< end of the last message, seconds
  double exposed = 0; ///< part of `finish` after the backward pass
  std::string error;  ///< empty if the buckets are valid

  bool ok() const { return error.empty(); }
};

/// Returns the end of `buckets`, sent in the order in which they become ready. No other order ends
/// earlier. Otherwise returns the first error: a gradient in no bucket or in several, or a bucket
/// over the limit.
FusionVerdict verify(const BucketProblem &problem, const Buckets &buckets);

/// Returns the buckets that end first, by dynamic programming over the last bucket in O(L²) steps.
/// Ties go to fewer buckets. Buckets are contiguous.
///
/// With one algorithm, no packing cost and no limit the result is optimal. Proof: of two buckets,
/// give the one sent first all gradients that are ready by then. It starts as before, and the bytes
/// of both together stay the same.
Buckets fuseOptimally(const BucketProblem &problem);

//===-- BucketText.cpp ------------------------------------------------------------------------===//

// Reads and prints problems of gradient fusion as text.

/// A problem that was read from text, one entry per line. A line that starts with `#` is a comment.
///
///   algorithm 1 1      latency, seconds per byte
///   copy 0.1           seconds per byte
///   limit 1000         bytes
///   computed 5         seconds
///   gradient 0 1 w0    seconds until ready, bytes, optional name to the end of the line
struct ParsedFusion {
  BucketProblem problem;
  std::string error; ///< with the line; empty if there is none
};
ParsedFusion parseProblem(const std::string &text);
std::string printProblem(const BucketProblem &problem);

/// Returns `0 1 | 2`: gradients by number, buckets separated by bars.
std::string printBuckets(const Buckets &buckets);

} // namespace pcc::buckets
