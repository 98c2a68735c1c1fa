// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a problem of the strategy search in both of its formats, compressed or not, prints it and
// reads it again; also reads a solution.
#include "passes/solve/strategy/problem/ProblemFile.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

static pcc::abi::Expected<pcc::solve::StrategyProblem> readProblemOf(std::string_view bytes) {
  if (bytes.starts_with("{"))
    return pcc::solve::parseProblemJson(bytes);
  if (!bytes.starts_with("\x1f\x8b"))
    return pcc::solve::parseProblemText(bytes);
  pcc::fuzz::InputFile file("problem.json.gz", bytes);
  return pcc::solve::readProblem(file.path());
}

static void readProblemFile(std::string_view bytes) {
  if (auto problem = readProblemOf(bytes)) {
    (void)pcc::solve::parseProblemText(pcc::solve::printProblemText(*problem));
    (void)pcc::solve::parseProblemJson(pcc::solve::printProblemJson(*problem));
  }
  (void)pcc::solve::parseSolution(bytes);
}

PCC_FUZZ_TARGET(problem, readProblemFile)
