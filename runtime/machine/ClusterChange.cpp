// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/machine/Cluster.h"

#include "runtime/machine/Amount.h"
#include "runtime/machine/BuiltIn.h"
#include "runtime/machine/UniformLink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace pcc::machine {
namespace {

constexpr Unit byteUnits[] = {{"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
                              {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};

abi::Status changeMemory(abi::Cluster &cluster, std::string_view value) {
  double bytes = parseAmount(value, byteUnits);
  if (bytes < 1)
    return abi::Status::badUsage(
        fmt::format("memory: expected a size as in 80GB or 64GiB, got '{}'", value));
  *cluster.mutable_device()->mutable_memory_bytes() = makeFigure(bytes, abi::ASSUMED);
  return {};
}

abi::Status changeLevel(abi::Cluster &cluster, std::string_view number, std::string_view value) {
  int level = -1;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), level);
  if (error != std::errc() || end != number.data() + number.size() || level < 0 ||
      level >= cluster.level_size())
    return abi::Status::badUsage(fmt::format("expected a level from 0 to {}, the innermost first, "
                                             "got 'level{}'",
                                             cluster.level_size() - 1, number));
  abi::Expected<UniformLink> link = parseLink(value);
  if (!link)
    return std::move(link).status().within(fmt::format("level{}", level));
  abi::LinkFigures &figures = *cluster.mutable_level(level)->mutable_figures();
  *figures.mutable_bytes_per_second() = makeFigure(link->bytesPerSecond, abi::ASSUMED);
  *figures.mutable_latency_seconds() = makeFigure(link->latencySeconds, abi::ASSUMED);
  return {};
}

} // namespace

bool isClusterChange(std::string_view text) {
  size_t length = text.find('=');
  if (length == text.npos)
    return false;
  return std::ranges::all_of(text.substr(0, length),
                             [](unsigned char c) { return std::isalnum(c); });
}

abi::Expected<abi::Cluster> changeCluster(const abi::Cluster &cluster, std::string_view change) {
  constexpr std::string_view levelKey = "level";
  std::string_view key = change.substr(0, change.find('='));
  std::string_view value = change.substr(std::min(change.size(), key.size() + 1));
  abi::Cluster changed = cluster;
  abi::Status status;
  if (key == "memory")
    status = changeMemory(changed, value);
  else if (key.starts_with(levelKey))
    status = changeLevel(changed, key.substr(levelKey.size()), value);
  else
    status = abi::Status::badUsage(
        fmt::format("expected memory=SIZE or levelN=RATE,LATENCY, got '{}'", change));
  if (!status.ok())
    return status;
  return changed;
}

} // namespace pcc::machine
