// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the interface of a program: parameters, inputs, results, metrics.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/program/ParameterParts.h"
#include "runtime/abi/program/ProgramInterface.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/abi/validate/Checker.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pcc::abi {
namespace {

/// Checks the shapes and, for each rank, that its block lies in the global tensor.
bool checkBlock(Checker &checker, const Block &block, const Mesh &mesh, RankRange ranks) {
  Checker::Scope scope(checker, "block");
  int rank = block.global_shape_size();
  if (!checker.expect(elementBytes(block.type()) > 0, "type: expected an element type, got {}",
                      static_cast<int>(block.type())) ||
      !checker.expect(block.local_shape_size() == rank && block.offsets_size() == rank,
                      "expected {} local extents and offsets, got {} and {}", rank,
                      block.local_shape_size(), block.offsets_size()) ||
      !checker.expect(isSize(elementCount(block.global_shape())) &&
                          isSize(elementCount(block.local_shape())),
                      "expected extents whose product is a size"))
    return false;
  for (int d = 0; d < rank; ++d) {
    Checker::Scope offset(checker, "offsets", d);
    if (!checkExpression(checker, block.offsets(d), mesh))
      return false;
    for (int64_t r = ranks.first; r < ranks.end; ++r) {
      int64_t begin = evaluate(block.offsets(d), mesh, r);
      if (!checker.expect(begin >= 0 && begin <= block.global_shape(d) - block.local_shape(d),
                          "rank {}: expected {} elements from {} on within {}", r,
                          block.local_shape(d), begin, block.global_shape(d)))
        return false;
    }
  }
  return true;
}

/// Checks that `buffer` holds one block and lies in `space` (any, if SPACE_UNSPECIFIED).
bool checkBlockBuffer(Checker &checker, const Program &program, const Block &block, uint32_t index,
                      Space space) {
  if (!checkBufferIndex(checker, program, index))
    return false;
  const Buffer &buffer = program.memory().buffers(index);
  return checker.expect(space == SPACE_UNSPECIFIED || buffer.space() == space,
                        "buffer '{}': expected the space {}, got {}", buffer.name(),
                        Space_Name(space), Space_Name(buffer.space())) &&
         checker.expect(buffer.type() == block.type(), "buffer '{}': expected type {}, got {}",
                        buffer.name(), elementName(block.type()), elementName(buffer.type())) &&
         checker.expect(elementCount(buffer.shape()) == elementCount(block.local_shape()),
                        "buffer '{}': expected {} elements, got {}", buffer.name(),
                        *elementCount(block.local_shape()), *elementCount(buffer.shape()));
}

/// Checks that a buffer has no ring.
void checkSingle(Checker &checker, const Program &program, uint32_t index) {
  const Buffer &buffer = program.memory().buffers(index);
  checker.expect(!buffer.has_ring(), "buffer '{}': expected one copy, got a ring", buffer.name());
}

/// Checks that the parts of every whole tensor agree on its shape, and that those of a parameter
/// cover its number of elements. A part that is not trained has no optimizer states.
void checkWholes(Checker &checker, const Program &program) {
  struct Whole {
    const Parameter *first;
    int64_t elements = 0;
  };
  std::map<std::string, Whole> wholes;
  for (const Parameter &parameter : program.parameters()) {
    if (!parameter.has_part() || !checker.ok())
      continue;
    Whole &whole = wholes.try_emplace(parameter.part().whole(), Whole{&parameter}).first->second;
    const Parameter &first = *whole.first;
    whole.elements += *elementCount(parameter.block().global_shape());
    checker.expect(first.block().type() == parameter.block().type() &&
                       std::ranges::equal(first.part().shape(), parameter.part().shape()),
                   "parameters '{}' and '{}': expected parts of one tensor", first.name(),
                   parameter.name());
  }
  for (const auto &[name, whole] : wholes)
    if (checker.ok() && whole.first->state_of().empty())
      checker.expect(whole.elements == *elementCount(whole.first->part().shape()),
                     "expected {} elements in the parts of '{}', got {}",
                     *elementCount(whole.first->part().shape()), name, whole.elements);
}

void checkParameters(Checker &checker, const Program &program, const Mesh &mesh, RankRange ranks) {
  std::set<std::string> names;
  for (int i = 0; i < program.parameters_size(); ++i) {
    Checker::Scope scope(checker, "parameters", i);
    const Parameter &parameter = program.parameters(i);
    checkName(checker, names, parameter.name());
    if (!checkBlock(checker, parameter.block(), mesh, ranks) ||
        !checkBlockBuffer(checker, program, parameter.block(), parameter.buffer(), PERSISTENT))
      continue;
    checkSingle(checker, program, parameter.buffer());
    if (parameter.has_part()) {
      Checker::Scope part(checker, "part");
      std::string fault =
          findFault(parameter.part(), *elementCount(parameter.block().global_shape()));
      checker.expect(fault.empty(), "{}", fault);
    }
    const Initializer &initializer = parameter.initializer();
    checker.expect(initializer.kind_case() != Initializer::KIND_NOT_SET,
                   "initializer: expected a kind");
    uint64_t expected = static_cast<uint64_t>(*elementCount(parameter.block().global_shape())) *
                        elementBytes(parameter.block().type());
    if (std::optional<uint64_t> bytes = initialBytes(initializer))
      checker.expect(*bytes == expected, "initializer: expected {} bytes, got {}", expected,
                     *bytes);
  }
  for (int i = 0; i < program.parameters_size(); ++i) {
    Checker::Scope scope(checker, "parameters", i);
    const std::string &owner = program.parameters(i).state_of();
    checker.expect(owner.empty() || names.contains(owner),
                   "state_of: expected the name of a parameter, got '{}'", owner);
  }
  checkWholes(checker, program);
}

/// Checks that an input has a buffer for each copy that an action runs.
void checkCopies(Checker &checker, const Program &program, const Input &input,
                 const BatchPlan &batch) {
  int64_t more = batch.together() ? int64_t(batch.copies()) - 1 : 0;
  checker.expect(input.copy_buffers_size() == more, "copy_buffers: expected {}, got {}", more,
                 input.copy_buffers_size());
  for (uint32_t buffer : input.copy_buffers()) {
    Checker::Scope scope(checker, "copy_buffers");
    if (!checkBufferIndex(checker, program, buffer))
      return;
    const Buffer &first = program.memory().buffers(int(input.buffer()));
    const Buffer &other = program.memory().buffers(int(buffer));
    checker.expect(other.space() == INPUT && other.bytes() == first.bytes() &&
                       other.type() == first.type(),
                   "expected a buffer like that of the first copy, got '{}'", other.name());
  }
}

void checkInputs(Checker &checker, const Program &program, const BatchPlan &batch, const Mesh &mesh,
                 RankRange ranks) {
  std::set<std::string> names;
  for (int i = 0; i < program.inputs_size(); ++i) {
    Checker::Scope scope(checker, "inputs", i);
    const Input &input = program.inputs(i);
    checkName(checker, names, input.name());
    if (!checkBlock(checker, input.block(), mesh, ranks) ||
        !checkBlockBuffer(checker, program, input.block(), input.buffer(), INPUT))
      return;
    checkCopies(checker, program, input, batch);
    checker.expect(!input.has_range() || input.range().least() <= input.range().greatest(),
                   "range: expected a least value up to the greatest, got {} and {}",
                   input.range().least(), input.range().greatest());
    if (!takesRows(program))
      continue;
    if (!checker.expect(input.block().global_shape_size() > 0, "expected a dimension of rows"))
      return;
    int64_t rows = input.block().global_shape(0);
    int64_t expected = program.inputs(0).block().global_shape(0);
    checker.expect(rows >= 1 && rows == expected, "expected {} rows, got {}", expected, rows);
  }
}

void checkResults(Checker &checker, const Program &program, const Mesh &mesh, RankRange ranks) {
  for (int i = 0; i < program.results_size(); ++i) {
    Checker::Scope scope(checker, "results", i);
    const Result &result = program.results(i);
    checker.expect(ResultRole_IsValid(result.role()) && result.role() != RESULT_ROLE_UNSPECIFIED,
                   "role: expected a role, got {}", static_cast<int>(result.role()));
    if (!checkBlock(checker, result.block(), mesh, ranks) ||
        !checkBlockBuffer(checker, program, result.block(), result.buffer(), SPACE_UNSPECIFIED))
      continue;
    if (result.role() != OUTPUT)
      checkSingle(checker, program, result.buffer());
    for (uint32_t axis : result.partial_axes())
      checker.expect(axis < static_cast<uint32_t>(mesh.axes_size()),
                     "partial_axes: expected an axis below {}, got {}", mesh.axes_size(), axis);
    checker.expect(result.section() < static_cast<uint32_t>(program.sections_size()),
                   "section: expected an index below {}, got {}", program.sections_size(),
                   result.section());
    checker.expect(result.role() != LOSS || (elementCount(result.block().global_shape()) == 1 &&
                                             elementCount(result.block().local_shape()) == 1),
                   "expected one element in a loss");
    checker.expect(std::isfinite(result.scale()) && std::isfinite(result.own_loss_factor()),
                   "expected finite factors");
  }
}

void checkMetrics(Checker &checker, const Program &program) {
  std::set<std::string> names;
  for (int i = 0; i < program.metrics_size(); ++i) {
    Checker::Scope scope(checker, "metrics", i);
    const Metric &metric = program.metrics(i);
    checkName(checker, names, metric.name());
    if (!checker.expect(Metric::Kind_IsValid(metric.kind()) &&
                            metric.kind() != Metric::KIND_UNSPECIFIED,
                        "kind: expected a kind, got {}", static_cast<int>(metric.kind())) ||
        !checker.expect(metric.output() < static_cast<uint32_t>(program.results_size()) &&
                            program.results(metric.output()).role() == OUTPUT,
                        "output: expected the index of an output, got {}", metric.output()) ||
        !checker.expect(metric.label() < static_cast<uint32_t>(program.inputs_size()),
                        "label: expected an index below {}, got {}", program.inputs_size(),
                        metric.label()))
      continue;
    const Block &output = program.results(metric.output()).block();
    const Block &label = program.inputs(metric.label()).block();
    if (comparesElements(metric.kind())) {
      checker.expect(isFloat(label.type()), "label: expected floats, got {}",
                     elementName(label.type()));
      checker.expect(std::ranges::equal(output.global_shape(), label.global_shape()),
                     "expected one label per element of the output");
      continue;
    }
    checker.expect(label.type() == I32 || label.type() == I64, "label: expected integers, got {}",
                   elementName(label.type()));
    checker.expect(output.global_shape_size() >= 1 &&
                       output.global_shape(output.global_shape_size() - 1) >= 1 &&
                       elementCount(output.global_shape()) ==
                           *elementCount(label.global_shape()) *
                               output.global_shape(output.global_shape_size() - 1),
                   "expected one label per row of the output");
  }
}

} // namespace

bool takesRows(const Program &program) {
  return program.actions_size() > 0 || program.metrics_size() > 0;
}

void checkTables(Checker &checker, const Executable &executable, const Program &program,
                 RankRange ranks) {
  const Mesh &mesh = executable.mesh();
  checkParameters(checker, program, mesh, ranks);
  checkInputs(checker, program, executable.batch(), mesh, ranks);
  checkResults(checker, program, mesh, ranks);
  if (checker.ok())
    checkMetrics(checker, program);
}

} // namespace pcc::abi
