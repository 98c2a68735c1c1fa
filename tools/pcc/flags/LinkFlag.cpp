// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/flags/LinkFlag.h"

#include "tools/pcc/report/Output.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

LinkFlag::LinkFlag(cl::SubCommand &command, llvm::StringRef help)
    : text("link", cl::desc(help), cl::value_desc("rate,latency"), cl::sub(command)) {}

ExitCode LinkFlag::read(std::optional<machine::Link> &link) const {
  if (!text.getNumOccurrences())
    return Success;
  abi::Expected<machine::Link> given = machine::parseLink(text.getValue());
  if (!given)
    return fail(BadUsage, "'--link': " + given.status().message());
  link = *given;
  return Success;
}
