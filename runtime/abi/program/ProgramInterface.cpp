// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the programs by name; the first program that has an object provides it. Metrics refer to
// their outputs and labels by index, so these indices are mapped to the merged program.

#include "runtime/abi/program/ProgramInterface.h"

#include "runtime/abi/program/RankExpression.h"

#include <algorithm>

namespace pcc::abi {
namespace {

/// Returns the index of the element with that name, or -1.
template <typename List> int indexOf(const List &list, const std::string &name) {
  auto found = std::find_if(list.begin(), list.end(),
                            [&](const auto &element) { return element.name() == name; });
  return found == list.end() ? -1 : int(found - list.begin());
}

void addParameters(const Program &program, Program &whole) {
  for (const Parameter &parameter : program.parameters()) {
    if (indexOf(whole.parameters(), parameter.name()) >= 0)
      continue;
    Parameter &added = *whole.add_parameters();
    added.set_name(parameter.name());
    *added.mutable_block() = parameter.block();
    added.set_trainable(parameter.trainable());
    added.set_state(parameter.state());
    added.set_state_of(parameter.state_of());
    if (parameter.has_part())
      *added.mutable_part() = parameter.part();
  }
}

void addMetrics(const Program &program, Program &whole) {
  for (const Metric &metric : program.metrics()) {
    if (indexOf(whole.metrics(), metric.name()) >= 0)
      continue;
    Metric &added = *whole.add_metrics();
    added = metric;
    added.set_output(uint32_t(findResult(whole, program.results(int(metric.output())))));
    added.set_label(uint32_t(indexOf(whole.inputs(), program.inputs(int(metric.label())).name())));
  }
}

} // namespace

std::vector<const Input *> inputsOf(const Executable &executable) {
  std::vector<const Input *> inputs;
  for (const Program &program : executable.programs())
    for (const Input &input : program.inputs())
      if (std::none_of(inputs.begin(), inputs.end(),
                       [&](const Input *other) { return other->name() == input.name(); }))
        inputs.push_back(&input);
  return inputs;
}

int findResult(const Program &program, const Result &result) {
  for (int i = 0; i < program.results_size(); ++i)
    if (program.results(i).role() == result.role() && program.results(i).name() == result.name())
      return i;
  return -1;
}

bool isSumOfPrograms(const Executable &executable, const Result &result) {
  int64_t ranksOfOne = rankCount(executable.mesh()) / executable.programs_size();
  return std::any_of(result.partial_axes().begin(), result.partial_axes().end(),
                     [&](uint32_t partial) {
                       int64_t stride = 1; // between neighboring ranks on the axis
                       for (int axis = executable.mesh().axes_size(); --axis > int(partial);)
                         stride *= executable.mesh().axes(axis).size();
                       return executable.programs_size() > 1 && stride >= ranksOfOne;
                     });
}

Program programInterface(const Executable &executable) {
  Program whole;
  for (const Input *input : inputsOf(executable))
    *whole.add_inputs() = *input;
  *whole.mutable_actions() = executable.programs(0).actions();
  for (const Program &program : executable.programs()) {
    addParameters(program, whole);
    for (const Section &section : program.sections())
      if (indexOf(whole.sections(), section.name()) < 0)
        whole.add_sections()->set_name(section.name());
    for (const Result &result : program.results())
      if (findResult(whole, result) < 0)
        *whole.add_results() = result;
    addMetrics(program, whole);
  }
  return whole;
}

bool comparesElements(Metric::Kind kind) {
  switch (kind) {
  case Metric::MEAN_SQUARED_ERROR:
  case Metric::MEAN_ABSOLUTE_ERROR:
  case Metric::SIGMOID_CROSS_ENTROPY:
  case Metric::BINARY_ACCURACY:
    return true;
  default:
    return false;
  }
}

} // namespace pcc::abi
