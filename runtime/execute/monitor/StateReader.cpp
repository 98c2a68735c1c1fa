// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each state has snapshots of its buffer, which are taken and read without stopping the device.

#include "runtime/execute/monitor/StateReader.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/abi/program/TrainingStates.h"

#include <cassert>
#include <cstring>

namespace pcc::runtime {
namespace {

/// Returns the parameter that holds a state of the training, such as the loss scale; null if the
/// program has none. Such a parameter is the state of itself (TrainingStates.h).
const abi::Parameter *findState(const abi::Program &program, std::string_view name) {
  for (const abi::Parameter &parameter : program.parameters())
    if (parameter.name() == name && parameter.state_of() == name)
      return &parameter;
  return nullptr;
}

template <typename T> double decode(std::span<const std::byte> bytes) {
  T value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return double(value);
}

} // namespace

std::vector<std::string> listStates(const abi::Executable &executable, int64_t rank) {
  std::vector<std::string> names;
  for (const abi::ReportedState &state : abi::reportedStates)
    if (findState(executable.programs(abi::programOfRank(executable, rank)), state.parameter))
      names.emplace_back(state.metric);
  return names;
}

Expected<StateReader> StateReader::make(RankExecutor &rank, int64_t ahead) {
  StateReader reader(rank);
  for (const abi::ReportedState &state : abi::reportedStates) {
    const abi::Parameter *parameter = findState(rank.program(), state.parameter);
    if (!parameter)
      continue;
    State &entry = reader.states.emplace_back();
    entry.name = state.metric;
    entry.type = parameter->block().type();
    for (int64_t count = 0; count <= ahead; ++count) {
      auto snapshot = rank.makeSnapshot(parameter->buffer(), abi::elementBytes(entry.type));
      if (!snapshot)
        return snapshot.status();
      entry.snapshots.push_back(std::move(*snapshot));
    }
  }
  return reader;
}

Status StateReader::take() {
  for (State &state : states)
    if (Status status = rank->take(*state.snapshots[taken % state.snapshots.size()]); !status.ok())
      return status;
  ++taken;
  return {};
}

Expected<NamedNumbers> StateReader::read() {
  NamedNumbers numbers;
  for (State &state : states) {
    Expected<std::span<const std::byte>> bytes =
        rank->read(*state.snapshots[readCount % state.snapshots.size()]);
    if (!bytes)
      return bytes.status();
    assert((state.type == abi::F32 || state.type == abi::I64) && "other types are not reported");
    double value = state.type == abi::I64 ? decode<int64_t>(*bytes) : decode<float>(*bytes);
    numbers.emplace_back(state.name, value);
  }
  ++readCount;
  return numbers;
}

} // namespace pcc::runtime
