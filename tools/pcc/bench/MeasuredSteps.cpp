// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains on synthetic data with a trace that holds every instruction of the counted steps, and
// reads section times from the trace. A step's times are the mean over the ranks; the best step is
// the one with the shortest mean.
#include "tools/pcc/bench/StepTimes.h"

#include "runtime/execute/Train.h"

#include <limits>
#include <map>

namespace pcc::cli {
namespace {

constexpr int warmUps = 2;

using SectionNames = std::map<const abi::Instruction *, std::string>;

SectionNames nameSections(const abi::Executable &executable) {
  SectionNames names;
  for (const abi::Program &program : executable.programs())
    for (const abi::Section &section : program.sections())
      for (const abi::Instruction &instruction : section.instructions())
        names[&instruction] = section.name();
  return names;
}

/// Returns the largest number of instructions that a rank runs in a step.
size_t countInstructions(const abi::Executable &executable) {
  size_t most = 0;
  for (const abi::Program &program : executable.programs()) {
    size_t instructions = 0;
    for (const abi::Action &action : program.actions())
      instructions += size_t(program.sections(int(action.section())).instructions_size());
    most = std::max(most, instructions);
  }
  return most;
}

/// Returns the counted steps of one rank, by number.
std::map<int64_t, StepTime> readSteps(const std::vector<runtime::TraceEntry> &entries,
                                      const SectionNames &names) {
  std::map<int64_t, std::vector<const runtime::TraceEntry *>> ofStep;
  for (const runtime::TraceEntry &entry : entries)
    if (entry.step >= warmUps)
      ofStep[entry.step].push_back(&entry);
  std::map<int64_t, StepTime> steps;
  for (const auto &[number, list] : ofStep) {
    SectionClock clock(double(list.front()->begin) * 1e-9);
    for (const runtime::TraceEntry *entry : list)
      clock.add(*entry->instruction, names.at(entry->instruction), double(entry->begin) * 1e-9,
                double(entry->end) * 1e-9);
    steps[number] = clock.finish();
  }
  return steps;
}

MeasuredSteps summarize(const std::map<int64_t, StepTime> &steps) {
  MeasuredSteps measured;
  double least = std::numeric_limits<double>::infinity();
  for (const auto &[number, step] : steps) {
    measured.mean += step;
    if (double seconds = step.sum().seconds; seconds < least) {
      least = seconds;
      measured.best = step;
    }
  }
  measured.mean = measured.mean / double(steps.size());
  return measured;
}

} // namespace

abi::Expected<MeasuredSteps> measureSteps(abi::Executable executable, int steps,
                                          const std::optional<machine::UniformLink> &link) {
  size_t traced = countInstructions(executable) * size_t(steps + 1);
  auto session =
      runtime::Session::load(std::move(executable), {.link = link, .trace = {.capacity = traced}});
  if (!session)
    return session.status();
  const abi::Program &program = (*session)->program();
  const abi::BatchPlan &plan = (*session)->executable().batch();
  if (program.inputs_size() == 0 || program.actions_size() == 0)
    return abi::Status::badInput("expected a program with inputs and a training step");
  int64_t rows = program.inputs(0).block().global_shape(0) * plan.micro_batches() * plan.copies();
  runtime::Dataset data = runtime::makeSyntheticDataset(program, rows, /*seed=*/0);
  auto report = runtime::train(**session, data, {.steps = warmUps + steps});
  if (!report)
    return report.status();
  SectionNames names = nameSections((*session)->executable());
  auto traces = (*session)->traces();
  if (!traces)
    return traces.status();
  std::map<int64_t, StepTime> sum;
  for (const std::vector<runtime::TraceEntry> &entries : *traces)
    for (const auto &[number, step] : readSteps(entries, names))
      sum[number] += step;
  for (auto &[number, step] : sum)
    step = step / double(traces->size());
  MeasuredSteps measured = summarize(sum);
  measured.collectives = measureCollectives((*session)->executable(), *traces, warmUps);
  return measured;
}

} // namespace pcc::cli
