// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the short form and overlays the figures that a message states. Then it checks the result
// field by field. A short form names levels from the outermost inward; a message stores them from
// the innermost outward.

#include "runtime/machine/Cluster.h"

#include "runtime/abi/Limits.h"
#include "runtime/abi/ParseText.h"
#include "runtime/abi/validate/Checker.h"
#include "runtime/machine/BuiltIn.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace pcc::machine {
namespace {

std::string listDeviceNames() {
  std::string names;
  for (const BuiltInDevice &device : builtInDevices())
    names += (names.empty() ? "" : ", ") + device.name;
  return names;
}

abi::Status badForm(std::string_view form, size_t begin, const std::string &expected,
                    std::string_view got) {
  return abi::Status::badUsage(fmt::format("cluster '{}', column {}: expected {}, got '{}'", form,
                                           begin + 1, expected, got));
}

/// Parses counts joined by `x`. Returns the position of the device name.
abi::Expected<size_t> parseCounts(std::string_view form, std::vector<int64_t> &counts) {
  size_t begin = 0;
  int64_t devices = 1;
  while (begin < form.size() && std::isdigit(static_cast<unsigned char>(form[begin]))) {
    size_t end = std::min(form.find_first_of("xX", begin), form.size());
    std::string_view text = form.substr(begin, end - begin);
    int64_t count = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || stop != text.data() + text.size() || count < 1 ||
        count > abi::maxRanks / devices)
      return badForm(form, begin, fmt::format("a count of 1 to {}", abi::maxRanks / devices), text);
    if (end == form.size())
      return badForm(form, end, "'x' and a device (" + listDeviceNames() + ")", "");
    devices *= count;
    counts.push_back(count);
    begin = end + 1;
  }
  return begin;
}

/// Returns the figures of `given`, completed by those of `base`. A rate replaces the rate of the
/// same class and type.
abi::DeviceFigures overlay(abi::DeviceFigures base, abi::DeviceFigures given) {
  for (const abi::ComputeRate &rate : given.rate()) {
    auto isSame = [&](const abi::ComputeRate &other) {
      return other.compute_class() == rate.compute_class() && other.type() == rate.type();
    };
    auto known = std::ranges::find_if(*base.mutable_rate(), isSame);
    *(known == base.mutable_rate()->end() ? base.add_rate() : &*known) = rate;
  }
  given.clear_rate();
  if (given.matmul().tile_size())
    base.mutable_matmul()->clear_tile();
  base.MergeFrom(given);
  return base;
}

abi::LinkFigures overlay(abi::LinkFigures base, const abi::LinkFigures &given) {
  if (given.algorithm_size())
    base.clear_algorithm();
  base.MergeFrom(given);
  return base;
}

abi::Status overlay(abi::TopologyLevel &level, const abi::TopologyLevel &given) {
  if (given.count())
    level.set_count(given.count());
  if (!given.link().empty()) {
    const BuiltInLink *link = findLink(given.link());
    if (!link && !given.has_figures())
      return abi::Status::badInput(fmt::format(
          "level.link: '{}' is not built in: expected 'figures' beside it", given.link()));
    level.set_link(given.link());
    *level.mutable_figures() = link ? link->figures : abi::LinkFigures();
  }
  *level.mutable_figures() = overlay(level.figures(), given.figures());
  return {};
}

void checkFigure(abi::Checker &checker, const char *name, const abi::Figure &figure) {
  abi::Checker::Scope scope(checker, name);
  checker.expect(std::isfinite(figure.value()) && figure.value() > 0,
                 "expected a value above 0, got {}", figure.value());
}

/// Checks a fraction of a data sheet's figure; absent means 1.
void checkShare(abi::Checker &checker, const char *name, const abi::Figure &share) {
  abi::Checker::Scope scope(checker, name);
  checker.expect(!share.has_value() || (share.value() > 0 && share.value() <= 1),
                 "expected a value above 0 and at most 1, got {}", share.value());
}

void checkMatmulFigures(abi::Checker &checker, const abi::MatmulFigures &matmul) {
  abi::Checker::Scope scope(checker, "matmul");
  checker.expect(matmul.units() >= 0, "units: expected at least 0, got {}", matmul.units());
  checker.expect(matmul.units() == 0 || matmul.tile_size() > 0,
                 "expected a 'tile' for the units, got none");
  for (int i = 0; i < matmul.tile_size(); ++i) {
    abi::Checker::Scope row(checker, "tile", i);
    checker.expect(matmul.tile(i).rows() > 0 && matmul.tile(i).columns() > 0,
                   "expected at least one row and one column, got {} and {}", matmul.tile(i).rows(),
                   matmul.tile(i).columns());
  }
  using Lost = std::pair<const char *, const abi::Figure &>;
  for (auto [name, figure] :
       {Lost{"lost_rows", matmul.lost_rows()}, Lost{"lost_columns", matmul.lost_columns()},
        Lost{"lost_depth", matmul.lost_depth()}})
    if (figure.has_value())
      checkFigure(checker, name, figure);
  checkShare(checker, "reached_share", matmul.reached_share());
}

void checkDevice(abi::Checker &checker, const abi::DeviceFigures &device) {
  abi::Checker::Scope scope(checker, "device");
  std::set<int> withF32;
  for (int i = 0; i < device.rate_size(); ++i) {
    abi::Checker::Scope row(checker, "rate", i);
    checkFigure(checker, "flops_per_second", device.rate(i).flops_per_second());
    if (device.rate(i).type() == abi::F32)
      withF32.insert(device.rate(i).compute_class());
  }
  for (abi::ComputeClass each : {abi::CONTRACTION, abi::ELEMENTWISE, abi::REDUCTION})
    checker.expect(withF32.contains(each), "expected a rate of {} on F32, got none",
                   abi::ComputeClass_Name(each));
  checkFigure(checker, "memory_bytes_per_second", device.memory_bytes_per_second());
  checkFigure(checker, "memory_bytes", device.memory_bytes());
  checkFigure(checker, "launch_seconds", device.launch_seconds());
  checkMatmulFigures(checker, device.matmul());
  checkShare(checker, "memory_reached_share", device.memory_reached_share());
  checkShare(checker, "collective_share", device.collective_share());
}

void checkLevel(abi::Checker &checker, const abi::TopologyLevel &level) {
  checker.expect(1 <= level.count() && level.count() <= abi::maxRanks,
                 "expected a count of 1 to {}, got {}", abi::maxRanks, level.count());
  abi::Checker::Scope scope(checker, "figures");
  const abi::LinkFigures &link = level.figures();
  checkFigure(checker, "latency_seconds", link.latency_seconds());
  checkFigure(checker, "gap_seconds", link.gap_seconds());
  checkFigure(checker, "bytes_per_second", link.bytes_per_second());
  checkShare(checker, "reached_share", link.reached_share());
  checker.expect(link.devices_per_link() >= 0, "devices_per_link: expected at least 0, got {}",
                 link.devices_per_link());
}

abi::Status check(const abi::Cluster &cluster) {
  abi::Checker checker;
  checkDevice(checker, cluster.device());
  checker.expect(cluster.level_size() > 0, "expected at least one 'level', got none");
  for (int i = 0; i < cluster.level_size(); ++i) {
    abi::Checker::Scope scope(checker, "level", i);
    checkLevel(checker, cluster.level(i));
  }
  if (checker.ok())
    checker.expect(countDevices(cluster) <= abi::maxRanks, "expected at most {} devices, got more",
                   abi::maxRanks);
  return checker.status();
}

} // namespace

abi::Expected<abi::Cluster> parseForm(std::string_view form) {
  std::vector<int64_t> counts;
  abi::Expected<size_t> begin = parseCounts(form, counts);
  if (!begin)
    return begin.status();
  std::string_view name = form.substr(*begin);
  if (counts.empty())
    return badForm(form, 0, "a count, as in '2x8xH100'", form);
  const BuiltInDevice *device = findDevice(name);
  if (!device)
    return badForm(form, *begin, "a device (" + listDeviceNames() + ")", name);
  abi::Cluster cluster;
  cluster.set_form(std::string(form));
  *cluster.mutable_device() = device->figures;
  for (size_t i = counts.size(); i-- > 0;) {
    abi::TopologyLevel &level = *cluster.add_level();
    level.set_count(counts[i]);
    level.set_link(i + 1 == counts.size() ? device->innerLink : device->outerLink);
    *level.mutable_figures() = findLink(level.link())->figures;
  }
  return cluster;
}

abi::Expected<abi::Cluster> complete(const abi::Cluster &given) {
  abi::Cluster cluster;
  if (!given.form().empty()) {
    abi::Expected<abi::Cluster> base = parseForm(given.form());
    if (!base)
      return abi::Status::badInput(base.status().message());
    cluster = *base;
  }
  *cluster.mutable_device() = overlay(cluster.device(), given.device());
  for (int i = 0; i < given.level_size(); ++i) {
    if (i == cluster.level_size())
      cluster.add_level();
    if (abi::Status status = overlay(*cluster.mutable_level(i), given.level(i)); !status.ok())
      return status;
  }
  if (abi::Status status = check(cluster); !status.ok())
    return status;
  return cluster;
}

abi::Expected<abi::Cluster> parseCluster(const std::string &text) {
  // A message begins with a field name, a short form with a count.
  if (text.find(':') == std::string::npos && text.find('{') == std::string::npos)
    return parseForm(text);
  abi::Cluster cluster;
  if (std::optional<abi::TextError> error = abi::parseText(text, cluster))
    return abi::Status::badInput(fmt::format("cluster '{}', line {}, column {}: {}", text,
                                             error->line, error->column, error->message));
  return complete(cluster);
}

abi::Expected<abi::Cluster> parseCluster(const std::string &text, int64_t ranks) {
  abi::Expected<abi::Cluster> parsed =
      parseCluster(text.empty() ? fmt::format("{}xcpu", ranks) : text);
  if (!parsed)
    return parsed.status();
  if (abi::Status status = checkRanks(*parsed, ranks); !status.ok())
    return status;
  return parsed;
}

static bool isF32Matmul(const abi::ComputeRate &rate) {
  return rate.compute_class() == abi::CONTRACTION && rate.type() == abi::F32;
}

void roundToTf32(abi::Cluster &cluster) {
  std::vector<int64_t> counts;
  std::string_view form = cluster.form();
  abi::Expected<size_t> begin = parseCounts(form, counts);
  const BuiltInDevice *device = begin ? findDevice(form.substr(*begin)) : nullptr;
  if (!device || !device->tf32Matmuls.has_value())
    return;
  double own =
      std::ranges::find_if(device->figures.rate(), isF32Matmul)->flops_per_second().value();
  for (abi::ComputeRate &rate : *cluster.mutable_device()->mutable_rate())
    if (isF32Matmul(rate) && rate.flops_per_second().value() == own)
      *rate.mutable_flops_per_second() = device->tf32Matmuls;
}

std::string toText(const abi::Cluster &cluster) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(cluster, &text);
  return text;
}

abi::Status checkRanks(const abi::Cluster &cluster, int64_t ranks) {
  int64_t devices = countDevices(cluster);
  if (devices >= ranks)
    return {};
  return abi::Status::badInput(fmt::format(
      "expected a cluster of at least {} devices, one for each rank, got {}", ranks, devices));
}

int64_t countDevices(const abi::Cluster &cluster) {
  int64_t count = 1;
  for (const abi::TopologyLevel &level : cluster.level())
    count = std::min(count * level.count(), abi::maxRanks + 1); // no overflow: a count is bounded
  return count;
}

} // namespace pcc::machine
