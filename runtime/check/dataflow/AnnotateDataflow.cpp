// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the dataflow that a program states with the dataflow that was found.

#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/dataflow/Dataflow.h"
#include "runtime/check/program/Names.h"

#include <fmt/format.h>

#include <algorithm>

namespace pcc::check {
namespace {

class SourceChecker {
public:
  SourceChecker(const ProgramIndex &index, const ObservedDataflow &found)
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
  const ObservedDataflow &found;
};

std::string SourceChecker::nameOfNumber(uint32_t number) const {
  for (const abi::Instruction *instruction : index.instructions)
    if (instruction->number() == number)
      return nameOf(*instruction);
  return fmt::format("instruction {}, which is not in the program", number);
}

template <typename List>
abi::Status SourceChecker::compare(const std::string &reader, const char *reads, const List &stated,
                                   const std::set<uint64_t> &got) const {
  for (uint64_t source : stated)
    if (!got.contains(source))
      return error(fmt::format("{} {} no result of {}; expected one, since the program "
                               "states it as a source",
                               reader, reads, nameOfNumber(numberOf(source))));
  for (uint64_t source : got)
    if (!std::binary_search(stated.begin(), stated.end(), source))
      return error(fmt::format("{} {} a result of {}; expected one of the sources that the "
                               "program states",
                               reader, reads, nameOfNumber(numberOf(source))));
  return {};
}

abi::Status SourceChecker::check() const {
  for (size_t r = 0; r < index.instructions.size(); ++r) {
    const abi::Instruction &instruction = *index.instructions[r];
    abi::Status status =
        compare(nameOf(instruction), "reads", instruction.reads(), found.ofInstruction[r].inStep);
    if (status.ok())
      status = compare(nameOf(instruction), "reads of the step before", instruction.reads_before(),
                       found.ofInstruction[r].before);
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

abi::Status checkStatedSources(const ProgramIndex &index, const ObservedDataflow &found) {
  return hasDataflow(index.program) ? SourceChecker(index, found).check() : abi::Status();
}

void annotateDataflow(abi::Executable &executable) {
  for (abi::Program &program : *executable.mutable_programs()) {
    uint32_t number = 0;
    for (abi::Section &section : *program.mutable_sections())
      for (abi::Instruction &instruction : *section.mutable_instructions())
        instruction.set_number(++number);
  }
  std::vector<ProgramIndex> programs = indexPrograms(executable);
  std::vector<Execution> executions = listExecutions(executable);
  for (const ProgramIndex &index : programs) {
    ByteMap bytes(index);
    ObservedDataflow found = makeObservedDataflow(index);
    for (const Execution &execution : executions)
      collectDataflow(index, bytes, execution, found);
    abi::Program &program = *executable.mutable_programs(index.number);
    auto store = [](auto *field, const std::set<uint64_t> &sources) {
      field->Assign(sources.begin(), sources.end());
    };
    size_t place = 0;
    for (abi::Section &section : *program.mutable_sections())
      for (abi::Instruction &instruction : *section.mutable_instructions()) {
        store(instruction.mutable_reads(), found.ofInstruction[place].inStep);
        store(instruction.mutable_reads_before(), found.ofInstruction[place++].before);
      }
    for (int i = 0; i < program.results_size(); ++i)
      store(program.mutable_results(i)->mutable_written_by(), found.ofResult[i]);
    for (int i = 0; i < program.parameters_size(); ++i)
      store(program.mutable_parameters(i)->mutable_written_by(), found.ofParameter[i]);
  }
}

} // namespace pcc::check
