// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// runtime/machine gives the bytes and seconds of each instruction; this report sums them by
// section, and over the runs of each section in a step. Groups print as axes if the axes reproduce
// them exactly.
#include "tools/pcc/report/ExplainReports.h"

#include "dialects/dist/Mesh.h"
#include "runtime/abi/program/CollectiveName.h"
#include "runtime/machine/CollectiveTraffic.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

namespace {

Communication read(const abi::Executable &program, const abi::Instruction &instruction,
                   const std::optional<abi::Cluster> &cluster) {
  machine::CollectiveTraffic traffic = machine::readTraffic(program, instruction.collective());
  Communication result;
  result.kind = abi::collectiveName(instruction.collective().kind());
  result.op = instruction.op();
  result.location = instruction.location();
  result.bytes = traffic.received;
  if (cluster)
    result.seconds = machine::estimateTrafficCost(*cluster, traffic);
  result.groups = std::move(traffic.groups);
  if (instruction.has_request())
    result.request = instruction.request();
  return result;
}

//===-- Text ---------------------------------------------------------------------------------===//

/// Returns the axes along which the ranks of a group differ, if the groups are exactly the groups
/// of these axes; else nothing.
std::optional<dist::AxisList> findAxes(const std::vector<std::vector<int64_t>> &groups,
                                       const dist::Mesh &mesh) {
  if (groups.empty())
    return std::nullopt;
  dist::AxisList axes;
  auto first = mesh.getCoordinates(groups.front().front());
  auto last = mesh.getCoordinates(groups.front().back());
  for (auto [index, axis] : llvm::enumerate(mesh.getAxes()))
    if (first[index] != last[index])
      axes.push_back(axis.name);
  auto isEqual = [](const auto &list, const dist::RankList &ranks) {
    return llvm::equal(list, ranks);
  };
  if (!llvm::equal(groups, mesh.getGroups(axes), isEqual))
    return std::nullopt;
  return axes;
}

/// Formats `dp`, `dp.tp`, or the lists of ranks `{0,1} {2,3}`.
std::string groupText(const std::vector<std::vector<int64_t>> &groups, const dist::Mesh &mesh) {
  if (std::optional<dist::AxisList> axes = findAxes(groups, mesh))
    return llvm::join(*axes, ".");
  std::string text;
  for (const std::vector<int64_t> &ranks : groups)
    text += (text.empty() ? "{" : " {") +
            llvm::join(llvm::map_range(ranks, [](int64_t r) { return std::to_string(r); }), ",") +
            "}";
  return text;
}

using Row = std::vector<std::string>;

Row makeRow(const Communication &collective, const dist::Mesh &mesh) {
  auto orDash = [](const std::string &text) { return text.empty() ? "-" : text; };
  Row row = {collective.kind, orDash(collective.op), orDash(collective.location),
             groupText(collective.groups, mesh), std::to_string(collective.bytes)};
  if (collective.seconds)
    row.push_back(llvm::formatv("{0:f2}", *collective.seconds * 1e6));
  return row;
}

/// Prints `all_reduce over tp, 768 bytes, 4.82 us`, then a line for each part of the request.
void printRequest(const Communication &collective, const dist::Mesh &mesh) {
  std::string group = groupText(collective.groups, mesh);
  llvm::outs() << "  " << collective.kind << (group.empty() ? "" : " over ") << group << ", "
               << collective.bytes << " bytes";
  if (collective.seconds)
    llvm::outs() << llvm::formatv(", {0:f2} us", *collective.seconds * 1e6);
  llvm::outs() << "\n";
  auto print = [](llvm::StringRef label, const std::string &text, const std::string &note) {
    if (!text.empty() || !note.empty())
      llvm::outs() << llvm::formatv("    {0,-8}{1}", label, text)
                   << (text.empty() || note.empty() ? "" : ": ") << note << "\n";
  };
  auto at = [](const std::string &name, const std::string &location) {
    return location.empty() ? name : name + " (" + location + ")";
  };
  abi::Request request = collective.request.value_or(abi::Request());
  bool isWithin = request.reader() == request.value();
  print(isWithin ? "within" : "moves",
        at(request.value().empty() ? collective.op : request.value(), collective.location), "");
  print("from", request.from(), request.from_reason());
  std::string others =
      request.readers() > 1 ? " and " + std::to_string(request.readers() - 1) + " more" : "";
  if (!isWithin && !request.reader().empty())
    print("for", at(request.reader(), request.reader_location()) + others, "");
  print(request.to().empty() ? "because" : "to", request.to(), request.to_reason());
}

/// Totals of a set of collectives.
struct Sum {
  int64_t count = 0, bytes = 0;
  double seconds = 0;
  bool isTimed = false;

  void add(int64_t times, const Communication &collective) {
    count += times;
    bytes += times * collective.bytes;
    seconds += static_cast<double>(times) * collective.seconds.value_or(0);
    isTimed |= collective.seconds.has_value();
  }
  /// Formats `2 collectives, 2048 bytes, 24.60 us`.
  std::string str() const {
    std::string text =
        llvm::formatv("{0} collective{1}, {2} bytes", count, count == 1 ? "" : "s", bytes);
    if (isTimed)
      text += llvm::formatv(", {0:f2} us", seconds * 1e6);
    return text;
  }
};

} // namespace

std::vector<SectionCommunication>
pcc::cli::reportCommunication(const abi::Executable &executable,
                              const std::optional<abi::Cluster> &cluster) {
  std::vector<SectionCommunication> report;
  for (const abi::Program &program : executable.programs()) {
    size_t first = report.size();
    for (const abi::Section &section : program.sections()) {
      SectionCommunication &entry = report.emplace_back();
      entry.section = section.name();
      for (const abi::Instruction &instruction : section.instructions())
        if (instruction.has_collective())
          entry.collectives.push_back(read(executable, instruction, cluster));
    }
    for (const abi::Action &action : program.actions())
      ++report[first + action.section()].runs;
  }
  return report;
}

/// Returns the members of a request by name; null if it is unknown.
static json::Value toJson(const std::optional<abi::Request> &request) {
  if (!request)
    return nullptr;
  return json::Object{{"value", request->value()},
                      {"from", request->from()},
                      {"from_reason", request->from_reason()},
                      {"reader", request->reader()},
                      {"reader_location", request->reader_location()},
                      {"readers", request->readers()},
                      {"to", request->to()},
                      {"to_reason", request->to_reason()}};
}

json::Value pcc::cli::toJson(const std::vector<SectionCommunication> &report) {
  json::Array rows;
  for (const SectionCommunication &section : report)
    for (const Communication &collective : section.collectives) {
      json::Array groups;
      for (const std::vector<int64_t> &ranks : collective.groups)
        groups.push_back(json::Array(ranks));
      json::Object row{
          {"kind", collective.kind},         {"op", collective.op},
          {"location", collective.location}, {"group", std::move(groups)},
          {"bytes", collective.bytes},       {"seconds", nullptr},
          {"section", section.section},      {"request", ::toJson(collective.request)}};
      if (collective.seconds)
        row["seconds"] = *collective.seconds;
      rows.push_back(std::move(row));
    }
  return rows;
}

void pcc::cli::printTable(const std::vector<SectionCommunication> &report, const abi::Mesh &grid,
                          bool explains) {
  llvm::SmallVector<dist::MeshAxis> axes;
  for (const abi::MeshAxis &axis : grid.axes())
    axes.push_back({axis.name(), axis.size()});
  dist::Mesh mesh(axes);
  Sum step;
  for (const SectionCommunication &section : report) {
    Sum run;
    std::vector<Row> rows = {{"kind", "op", "location", "group", "bytes"}};
    for (const Communication &collective : section.collectives) {
      rows.push_back(makeRow(collective, mesh));
      run.add(1, collective);
      step.add(section.runs, collective);
    }
    if (run.isTimed)
      rows.front().push_back("us");
    llvm::outs() << "section " << section.section << ", " << section.runs
                 << (section.runs == 1 ? " run" : " runs") << " per step: " << run.str() << "\n";
    if (explains)
      for (const Communication &collective : section.collectives)
        printRequest(collective, mesh);
    else if (rows.size() > 1)
      printColumns(rows);
  }
  llvm::outs() << "total per step: " << step.str() << "\n";
  llvm::outs().flush();
}
