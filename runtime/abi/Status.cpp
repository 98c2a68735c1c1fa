// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats the position of an error from the outermost part to the innermost. at() sets only unknown
// parts of a position, so each level of the call stack adds its own.

#include "runtime/abi/Status.h"

#include <fmt/format.h>

namespace pcc::abi {

std::string Status::describe() const {
  std::string prefix;
  if (where.rank)
    prefix += fmt::format("rank {}: ", *where.rank);
  if (where.step)
    prefix += fmt::format("step {}: ", *where.step);
  if (!where.section.empty())
    prefix += fmt::format("{}[{},{}]: ", where.section, where.microbatch, where.copy);
  if (!where.op.empty())
    prefix += fmt::format("'{}'", where.op);
  if (!where.location.empty())
    prefix += fmt::format("{}({})", where.op.empty() ? "" : " ", where.location);
  if (!where.op.empty() || !where.location.empty())
    prefix += ": ";
  return prefix + text;
}

int Status::exitCode() const {
  switch (statusKind) {
  case StatusKind::Ok:
    return 0;
  case StatusKind::BadInput:
    return 1;
  case StatusKind::BadUsage:
    return 2;
  case StatusKind::Failed:
  case StatusKind::TimedOut:
  case StatusKind::Aborted:
    return 5;
  case StatusKind::Unavailable:
    return 6;
  }
  return 70;
}

Status Status::at(RunPosition position) && {
  if (!where.rank)
    where.rank = position.rank;
  if (!where.step)
    where.step = position.step;
  if (where.section.empty()) {
    where.section = std::move(position.section);
    where.microbatch = position.microbatch;
    where.copy = position.copy;
  }
  if (where.op.empty() && where.location.empty()) {
    where.op = std::move(position.op);
    where.location = std::move(position.location);
  }
  return std::move(*this);
}

Status Status::within(const std::string &prefix) && {
  if (!ok())
    text = prefix + ": " + text;
  return std::move(*this);
}

} // namespace pcc::abi
