// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds fields in two passes: by name, then the remaining inputs to the first unused field of their
// kind (integer or not). Shapes are checked last. The diagnostic names the NumPy function that
// converts the shape, if there is one.

#include "runtime/abi/ElementTypes.h"
#include "runtime/data/Dataset.h"

#include <algorithm>
#include <span>

namespace pcc::runtime {
namespace {

using Shape = std::vector<int64_t>;

/// Prints a shape, e.g. "[3, 32, 32]".
std::string formatShape(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Returns the element counts of the first 1, 2, … dimensions, without repetitions.
Shape productsOf(std::span<const int64_t> shape) {
  Shape products;
  int64_t product = 1;
  for (int64_t extent : shape)
    if (extent != 1)
      products.push_back(product *= extent);
  return products;
}

/// Whether one shape results from the other by joining neighboring dimensions or adding dimensions
/// of one element. This accepts rows of images as vectors, but not channels after the columns.
bool isRegrouped(std::span<const int64_t> a, std::span<const int64_t> b) {
  Shape ofA = productsOf(a), ofB = productsOf(b);
  const Shape &few = ofA.size() < ofB.size() ? ofA : ofB, &many = &few == &ofA ? ofB : ofA;
  int64_t all = many.empty() ? 1 : many.back();
  return (few.empty() ? 1 : few.back()) == all &&
         std::includes(many.begin(), many.end(), few.begin(), few.end());
}

/// Returns how to convert one shape to the other, for a diagnostic.
const char *remedy(std::span<const int64_t> got, std::span<const int64_t> expected) {
  Shape a(got.begin(), got.end()), b(expected.begin(), expected.end());
  if (isRegrouped(got, expected))
    return "; numpy.reshape changes the shape";
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b ? "; numpy.transpose changes the order of dimensions" : "";
}

Status checkShape(const Dataset &dataset, const Field &field, const abi::Input &input) {
  const auto &global = input.block().global_shape();
  auto row = std::span(global.data(), size_t(global.size())).subspan(1);
  if (std::equal(row.begin(), row.end(), field.rowShape.begin(), field.rowShape.end()) ||
      (!field.isShaped && isRegrouped(field.rowShape, row)))
    return {};
  return Status::badInput(fmt::format(
      "{}: expected rows of shape {} for the input '{}', got {} in the field '{}'{}",
      field.path.empty() ? dataset.name : field.path, formatShape(row), input.name(),
      formatShape(field.rowShape), field.name, field.isShaped ? remedy(field.rowShape, row) : ""));
}

} // namespace

Expected<std::vector<int>> bindFields(const Dataset &dataset, const abi::Program &program) {
  std::vector<int> fieldOf(program.inputs_size(), -1);
  std::vector<bool> taken(dataset.fields.size(), false);
  auto bind = [&](int input, auto &&fits) {
    for (size_t f = 0; f < dataset.fields.size() && fieldOf[input] < 0; ++f)
      if (!taken[f] && fits(dataset.fields[f])) {
        fieldOf[input] = int(f);
        taken[f] = true;
      }
  };
  for (int i = 0; i < program.inputs_size(); ++i)
    bind(i, [&](const Field &field) { return field.name == program.inputs(i).name(); });
  for (int i = 0; i < program.inputs_size(); ++i)
    bind(i, [&](const Field &field) {
      return field.isInteger() == isInteger(program.inputs(i).block().type());
    });
  for (int i = 0; i < program.inputs_size(); ++i) {
    const abi::Input &input = program.inputs(i);
    if (fieldOf[i] < 0)
      return Status::badInput(fmt::format("{}: no field is left for the input '{}' of {}",
                                          dataset.name, input.name(),
                                          abi::elementName(input.block().type())));
    if (Status status = checkShape(dataset, dataset.fields[fieldOf[i]], input); !status.ok())
      return status;
  }
  return fieldOf;
}

} // namespace pcc::runtime
