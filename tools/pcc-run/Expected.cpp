// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc-run/Expected.h"

#include "runtime/abi/GoldenFile.h"
#include "runtime/execute/Expectation.h"

#include <algorithm>

namespace pcc::tools {
namespace {

/// Prints the report; returns whether all results are as expected.
bool report(const std::vector<runtime::ComparedResult> &results) {
  double worst = 0;
  size_t differ = 0;
  for (const runtime::ComparedResult &result : results) {
    worst = std::max(worst, result.usedTolerance());
    if (result.isExpected())
      continue;
    ++differ;
    fmt::print("{}: {}\n", result.name, result.reason);
  }
  if (differ)
    fmt::print("{} of {} results differ, the worst at {:.2f} of its tolerance\n", differ,
               results.size(), worst);
  else
    fmt::print("{} results as expected, the worst at {:.2f} of its tolerance\n", results.size(),
               worst);
  return differ == 0;
}

} // namespace

runtime::Expected<bool> runExpected(abi::Executable executable, const std::string &path,
                                    const runtime::SessionOptions &options) {
  auto golden = abi::readGoldenResults(path);
  if (!golden)
    return golden.status();
  auto session = runtime::Session::load(std::move(executable), options);
  if (!session)
    return session.status();
  auto results = runtime::compareWith(**session, *golden);
  if (!results)
    return results.status().kind() == runtime::StatusKind::BadUsage
               ? runtime::Status::badInput(fmt::format("{}: does not fit the program: {}", path,
                                                       results.status().message()))
               : results.status();
  return report(*results);
}

} // namespace pcc::tools
