// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the blocks of the linked program. Bytes of optimizer states are added to the row of their
// parameter.
#include "tools/pcc/report/ExplainReports.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

static int64_t countBytes(const abi::Block &block) {
  return abi::elementCount(block.local_shape()).value_or(0) *
         int64_t(abi::elementBytes(block.type()));
}

static StageParameters reportStage(const abi::Program &program, abi::RankRange ranks) {
  StageParameters stage{ranks.first, ranks.end - ranks.first, {}};
  llvm::StringMap<int64_t> stateBytes; // by owner
  for (const abi::Parameter &parameter : program.parameters())
    if (!parameter.state_of().empty())
      stateBytes[parameter.state_of()] += countBytes(parameter.block());
  for (const abi::Parameter &parameter : program.parameters()) {
    if (!parameter.state_of().empty())
      continue;
    const abi::Block &block = parameter.block();
    stage.parameters.push_back({parameter.name(),
                                std::string(abi::elementName(block.type())),
                                {block.global_shape().begin(), block.global_shape().end()},
                                {block.local_shape().begin(), block.local_shape().end()},
                                parameter.trainable(),
                                countBytes(block),
                                stateBytes.lookup(parameter.name())});
  }
  return stage;
}

std::vector<StageParameters> cli::reportParameters(const abi::Executable &executable) {
  std::vector<StageParameters> report;
  for (int program = 0; program < executable.programs_size(); ++program)
    report.push_back(
        reportStage(executable.programs(program), abi::ranksOfProgram(executable, program)));
  return report;
}

json::Value cli::toJson(const std::vector<StageParameters> &report) {
  json::Array rows;
  for (auto [number, stage] : llvm::enumerate(report))
    for (const HeldParameter &held : stage.parameters)
      rows.push_back(json::Object{{"stage", int64_t(number)},
                                  {"name", held.name},
                                  {"type", held.element},
                                  {"shape", json::Array(held.shape)},
                                  {"slice", json::Array(held.slice)},
                                  {"trainable", held.trainable},
                                  {"bytes", held.bytes},
                                  {"state_bytes", held.stateBytes}});
  return rows;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  llvm::raw_string_ostream(text) << "[" << llvm::interleaved(shape) << "]";
  return text;
}

void cli::printTable(const std::vector<StageParameters> &report) {
  for (auto [number, stage] : llvm::enumerate(report)) {
    int64_t bytes = 0, stateBytes = 0;
    std::vector<std::vector<std::string>> rows = {
        {"parameter", "type", "shape", "rank slice", "bytes", "state bytes"}};
    for (const HeldParameter &held : stage.parameters) {
      bytes += held.bytes;
      stateBytes += held.stateBytes;
      rows.push_back({held.name, held.element, shapeText(held.shape), shapeText(held.slice),
                      std::to_string(held.bytes), std::to_string(held.stateBytes)});
    }
    std::string ranks = stage.ranks == 1 ? llvm::formatv("rank {0}", stage.firstRank).str()
                                         : llvm::formatv("ranks {0} to {1}", stage.firstRank,
                                                         stage.firstRank + stage.ranks - 1)
                                               .str();
    llvm::outs() << llvm::formatv(
        "stage {0}, {1}: {2} parameters, {3} bytes per rank, {4} bytes of optimizer states\n",
        number, ranks, stage.parameters.size(), bytes, stateBytes);
    printColumns(rows);
  }
}
