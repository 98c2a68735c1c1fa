// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of streams as text.
#pragma once

#include "passes/solve/streams/StreamProblem.h"

namespace pcc::streams {

/// The text form: one task per line; `#` starts a comment.
///
///   compute 1 a1            seconds, name
///   send 1 1 ra1 after a1   stream, seconds, name, names of dependencies
///   runs 4                  number of runs of all tasks
///   last send 1 1 w         in the last run only
struct ParsedStreams {
  StreamProblem problem;
  std::string error; ///< with the line; empty if there is none
};
ParsedStreams parseProblem(const std::string &text);
/// Returns `a1 ra1 b1`.
std::string printOrder(const StreamProblem &problem, const StreamOrder &order);

} // namespace pcc::streams
