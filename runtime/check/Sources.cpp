// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the dataflow that a program states with the dataflow that was found.

#include "runtime/abi/Executable.h"
#include "runtime/abi/Stages.h"
#include "runtime/check/Dataflow.h"
#include "runtime/check/Names.h"
#include "runtime/check/StateDataflow.h"

#include <fmt/format.h>

#include <algorithm>

namespace pcc::check {
namespace {

class SourceChecker {
public:
  SourceChecker(const ProgramIndex &index, const DataflowFound &found)
      : index(index), found(found) {}

  abi::Status check() const;

private:
  std::string nameOfNumber(uint32_t number) const;
  abi::Status error(const std::string &text) const {
    return abi::Status::badInput(fmt::format(
        "rank {}: {}", abi::ranksOfProgram(index.executable, index.number).first, text));
  }
  template <typename List>
  abi::Status compare(const std::string &reader, const char *reads, const List &stated,
                      const std::set<uint64_t> &got) const;

  const ProgramIndex &index;
  const DataflowFound &found;
};

std::string SourceChecker::nameOfNumber(uint32_t number) const {
  for (const abi::Record *record : index.records)
    if (record->number() == number)
      return nameOf(*record);
  return fmt::format("record {}, which the program has not", number);
}

template <typename List>
abi::Status SourceChecker::compare(const std::string &reader, const char *reads, const List &stated,
                                   const std::set<uint64_t> &got) const {
  for (uint64_t source : stated)
    if (!got.contains(source))
      return error(fmt::format("{} {} no result of {}, which it is to read", reader, reads,
                               nameOfNumber(numberOf(source))));
  for (uint64_t source : got)
    if (!std::binary_search(stated.begin(), stated.end(), source))
      return error(fmt::format("{} {} a result of {}, which is not what it is to read", reader,
                               reads, nameOfNumber(numberOf(source))));
  return {};
}

abi::Status SourceChecker::check() const {
  for (size_t r = 0; r < index.records.size(); ++r) {
    const abi::Record &record = *index.records[r];
    abi::Status status = compare(nameOf(record), "reads", record.reads(), found.ofRecord[r].inStep);
    if (status.ok())
      status = compare(nameOf(record), "reads of the step before", record.reads_before(),
                       found.ofRecord[r].before);
    if (!status.ok())
      return status;
  }
  for (int i = 0; i < index.program.results_size(); ++i)
    if (abi::Status status =
            compare(fmt::format("result '{}'", index.program.results(i).name()), "shows",
                    index.program.results(i).written_by(), found.ofResult[i]);
        !status.ok())
      return status;
  for (int i = 0; i < index.program.parameters_size(); ++i)
    if (abi::Status status =
            compare(fmt::format("parameter '{}'", index.program.parameters(i).name()), "holds",
                    index.program.parameters(i).written_by(), found.ofParameter[i]);
        !status.ok())
      return status;
  return {};
}

} // namespace

abi::Status checkSourcesUsed(const ProgramIndex &index, const DataflowFound &found) {
  return statesDataflow(index.program) ? SourceChecker(index, found).check() : abi::Status();
}

void stateDataflow(abi::Executable &executable) {
  for (abi::Program &program : *executable.mutable_programs()) {
    uint32_t number = 0;
    for (abi::Section &section : *program.mutable_sections())
      for (abi::Record &record : *section.mutable_records())
        record.set_number(++number);
  }
  std::vector<ProgramIndex> programs = indexPrograms(executable);
  std::vector<Episode> episodes = listEpisodes(executable);
  for (const ProgramIndex &index : programs) {
    ByteMap bytes(index);
    DataflowFound found = emptyDataflow(index);
    for (const Episode &episode : episodes)
      followDataOnly(index, bytes, episode, found);
    abi::Program &program = *executable.mutable_programs(index.number);
    auto store = [](auto *field, const std::set<uint64_t> &sources) {
      field->Assign(sources.begin(), sources.end());
    };
    size_t place = 0;
    for (abi::Section &section : *program.mutable_sections())
      for (abi::Record &record : *section.mutable_records()) {
        store(record.mutable_reads(), found.ofRecord[place].inStep);
        store(record.mutable_reads_before(), found.ofRecord[place++].before);
      }
    for (int i = 0; i < program.results_size(); ++i)
      store(program.mutable_results(i)->mutable_written_by(), found.ofResult[i]);
    for (int i = 0; i < program.parameters_size(); ++i)
      store(program.mutable_parameters(i)->mutable_written_by(), found.ofParameter[i]);
  }
}

} // namespace pcc::check
