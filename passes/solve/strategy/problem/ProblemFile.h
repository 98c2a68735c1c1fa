// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of problems and solutions.
//
// Text form, for people and tests. `#` starts a comment, `x` is a forbidden cost:
//
//   problem two layers
//   limit 12
//   node a [0,3) 5:8 9:4        an option is COST or COST:USAGE
//   node b [1,4) 2:8 2:4        the interval is optional; without it there is no usage
//   edge a b  0 7 / 7 0         a row for each option of a
//
// JSON form of the ASPLOS/EuroSys 2025 contest, see StrategyProblem.h (numbers of at least 10^18
// mean forbidden):
//
//   {"problem": {"name": "…", "nodes": {"intervals": [[0,3],…], "costs": [[5,9],…],
//    "usages": [[8,4],…]}, "edges": {"nodes": [[0,1],…], "costs": [[0,7,7,0],…]},
//    "usage_limit": 12}}
//
// A solution is `[1, 1]` in both forms.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"
#include "runtime/abi/Status.h"

namespace pcc::solve {

/// Returns the content of a file, decompressed if it is compressed with gzip. The content has at
/// most 4 GiB.
abi::Expected<std::string> readMaybeGzip(const std::string &path);

/// Writes `content`, compressed with gzip if the path ends in `.gz`.
abi::Status writeMaybeGzip(const std::string &path, std::string_view content);

/// Reads `.json` and `.json.gz` as JSON, everything else as text. Errors contain the line.
abi::Expected<StrategyProblem> readProblem(const std::string &path);

abi::Expected<StrategyProblem> parseProblemText(std::string_view text);
abi::Expected<StrategyProblem> parseProblemJson(std::string_view text);
std::string printProblemText(const StrategyProblem &problem);
std::string printProblemJson(const StrategyProblem &problem);

/// Parses `[0, 3, 1]`; white space is allowed.
abi::Expected<StrategySolution> parseSolution(std::string_view text);
std::string printSolution(const StrategySolution &solution);

} // namespace pcc::solve
