// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/Slots.h"

#include "runtime/abi/RankExpression.h"

namespace pcc::runtime {

static int64_t valueOf(abi::Scalar::SlotValue value, const SlotValues &slot) {
  switch (value) {
  case abi::Scalar::MICROBATCH:
    return slot.microbatch;
  case abi::Scalar::COPY:
    return slot.copy;
  case abi::Scalar::FIRST:
    return slot.first;
  case abi::Scalar::STEP:
    return slot.step;
  default:
    return 0;
  }
}

LaunchScalars::LaunchScalars(const abi::Launch &launch, const PrepareContext &context) {
  for (const abi::Scalar &scalar : launch.scalars()) {
    int64_t base = evaluate(scalar.expression(), context.executable.mesh(), context.rank);
    if (scalar.slot_value() != abi::Scalar::NONE)
      changing.push_back({values.size(), base, scalar.slot_value()});
    values.push_back(base);
  }
}

std::vector<int64_t> &LaunchScalars::at(const SlotValues &slot) {
  for (const Changing &scalar : changing)
    values[scalar.index] = scalar.base + valueOf(scalar.value, slot);
  return values;
}

SlotUse LaunchScalars::uses() const {
  SlotUse use;
  for (const Changing &scalar : changing) {
    use.microbatch |= scalar.value == abi::Scalar::MICROBATCH;
    use.copy |= scalar.value == abi::Scalar::COPY;
    use.first |= scalar.value == abi::Scalar::FIRST;
    use.step |= scalar.value == abi::Scalar::STEP;
  }
  return use;
}

} // namespace pcc::runtime
