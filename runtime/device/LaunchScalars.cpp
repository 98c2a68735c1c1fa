// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scalar is an expression of the rank plus an action value. Expressions are evaluated once, when
// the launch is prepared; an action only updates the scalars that depend on it.

#include "runtime/device/LaunchScalars.h"

#include "runtime/abi/program/RankExpression.h"

namespace pcc::runtime {

static int64_t valueOf(abi::Scalar::ActionValue value, const ActionValues &action) {
  switch (value) {
  case abi::Scalar::MICROBATCH:
    return action.microbatch;
  case abi::Scalar::COPY:
    return action.copy;
  case abi::Scalar::FIRST:
    return action.first;
  case abi::Scalar::STEP:
    return action.step;
  default:
    return 0;
  }
}

LaunchScalars::LaunchScalars(const abi::Launch &launch, const PrepareContext &context) {
  for (const abi::Scalar &scalar : launch.scalars()) {
    int64_t base = evaluate(scalar.expression(), context.executable.mesh(), context.rank);
    if (scalar.action_value() != abi::Scalar::NONE)
      changing.push_back({values.size(), base, scalar.action_value()});
    values.push_back(base);
  }
}

std::vector<int64_t> &LaunchScalars::at(const ActionValues &action) {
  for (const Changing &scalar : changing)
    values[scalar.index] = scalar.base + valueOf(scalar.value, action);
  return values;
}

ActionValueUse LaunchScalars::uses() const {
  ActionValueUse use;
  for (const Changing &scalar : changing) {
    use.microbatch |= scalar.value == abi::Scalar::MICROBATCH;
    use.copy |= scalar.value == abi::Scalar::COPY;
    use.first |= scalar.value == abi::Scalar::FIRST;
    use.step |= scalar.value == abi::Scalar::STEP;
  }
  return use;
}

} // namespace pcc::runtime
