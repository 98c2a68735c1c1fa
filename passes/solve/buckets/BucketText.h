// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints problems of gradient fusion as text.
#pragma once

#include "passes/solve/buckets/BucketProblem.h"

namespace pcc::buckets {

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
