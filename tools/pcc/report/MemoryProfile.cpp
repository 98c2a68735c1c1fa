// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the maximum of the live bytes in each column, then prints rows from the peak down. Row
// labels are MB and include the held bytes.
#include "tools/pcc/report/SimulationReports.h"

#include "runtime/check/program/Names.h"
#include "runtime/simulate/Peak.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
namespace json = llvm::json;

static constexpr int profileRows = 8;
static constexpr size_t maxTensors = 10;

/// Returns the maximum of live bytes in each of `columns` equal parts of the time.
static std::vector<uint64_t> sample(const simulate::Memory &memory, double end, int columns) {
  std::vector<uint64_t> most(columns, 0);
  for (size_t i = 0; i < memory.live.size(); ++i) {
    const simulate::LiveBytes &level = memory.live[i];
    double until = i + 1 < memory.live.size() ? memory.live[i + 1].begin : end;
    auto columnOf = [&](double time) {
      return std::clamp(int(time / end * columns), 0, columns - 1);
    };
    for (int column = columnOf(level.begin); column <= columnOf(until); ++column)
      if (until > end / columns * column)
        most[column] = std::max(most[column], level.bytes);
  }
  return most;
}

void pcc::cli::printMemoryProfile(llvm::raw_ostream &os, const simulate::Memory &memory, double end,
                                  int columns) {
  if (memory.live.empty() || columns <= 0 || end <= 0)
    return;
  std::vector<uint64_t> most = sample(memory, end, columns);
  double peak = double(*std::max_element(most.begin(), most.end()));
  for (int row = profileRows; row > 0; --row) {
    double level = peak * row / profileRows, below = peak * (row - 1) / profileRows;
    std::string line;
    for (uint64_t bytes : most)
      line += double(bytes) > below ? '#' : ' ';
    os << llvm::formatv("{0,12:f3} |{1}\n", (double(memory.held) + level) / 1e6,
                        llvm::StringRef(line).rtrim());
  }
  os << llvm::formatv("{0,12:f3} MB held\n", double(memory.held) / 1e6);
}

void pcc::cli::printPeak(llvm::raw_ostream &os, const abi::Executable &executable,
                         const simulate::Simulation &simulation,
                         const simulate::Timeline &timeline) {
  const abi::Program &program = executable.programs(timeline.program);
  const std::vector<simulate::LiveTensor> &tensors = timeline.memory.atPeak;
  if (tensors.empty())
    return;
  os << llvm::formatv("\n{0,12}  live at the peak, {1} tensors\n", "MB", tensors.size());
  for (size_t i = 0; i < std::min(tensors.size(), maxTensors); ++i) {
    const abi::Action &action = simulation.actions[timeline.program][tensors[i].action];
    std::string name = check::nameOf(simulate::instructionOf(program, tensors[i]));
    os << llvm::formatv("{0,12:f3}  {1} of {2}\n", double(tensors[i].bytes) / 1e6,
                        llvm::StringRef(name).trim('\''),
                        simulate::nameOf(executable, program, action));
  }
}

json::Value pcc::cli::levelsToJson(const simulate::Memory &memory) {
  json::Array levels;
  for (const simulate::LiveBytes &level : memory.live)
    levels.push_back(json::Array{level.begin, int64_t(level.bytes)});
  return levels;
}

json::Value pcc::cli::peakToJson(const abi::Executable &executable,
                                 const simulate::Simulation &simulation,
                                 const simulate::Timeline &timeline) {
  const abi::Program &program = executable.programs(timeline.program);
  json::Array tensors;
  for (const simulate::LiveTensor &tensor : timeline.memory.atPeak) {
    const abi::Action &action = simulation.actions[timeline.program][tensor.action];
    tensors.push_back(json::Object{{"op", simulate::instructionOf(program, tensor).op()},
                                   {"section", program.sections(int(tensor.section)).name()},
                                   {"microbatch", int64_t(action.microbatch())},
                                   {"copy", int64_t(action.copy())},
                                   {"bytes", int64_t(tensor.bytes)}});
  }
  return tensors;
}
