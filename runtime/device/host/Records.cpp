// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/host/Records.h"

#include "runtime/abi/RankExpression.h"
#include "runtime/base/HalfFloat.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::host {
namespace {

class LaunchRecord final : public PreparedRecord {
public:
  LaunchRecord(KernelFunction kernel, int64_t trip, const Team &team)
      : kernel(kernel), trip(trip), team(team) {}

  Status run(const SlotValues &slot) override {
    for (const SlotScalar &scalar : slotScalars)
      scalars[scalar.index] = scalar.base + valueOf(scalar.value, slot);
    team.parallel(trip, [this](int64_t begin, int64_t end) {
      kernel(buffers.data(), scalars.data(), begin, end);
    });
    return {};
  }

  /// A scalar that changes from slot to slot.
  struct SlotScalar {
    size_t index;
    int64_t base;
    abi::Scalar::SlotValue value;
  };
  std::vector<void *> buffers;
  std::vector<int64_t> scalars;
  std::vector<SlotScalar> slotScalars;

private:
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

  const KernelFunction kernel;
  const int64_t trip;
  const Team &team;
};

class CopyRecord final : public PreparedRecord {
public:
  CopyRecord(void *destination, const void *source, uint64_t bytes)
      : destination(destination), source(source), bytes(bytes) {}
  Status run(const SlotValues &) override {
    std::memcpy(destination, source, bytes);
    return {};
  }

private:
  void *destination;
  const void *source;
  uint64_t bytes;
};

class FillRecord final : public PreparedRecord {
public:
  FillRecord(void *destination, uint64_t bytes) : destination(destination), bytes(bytes) {}
  Status run(const SlotValues &) override {
    std::memset(destination, 0, bytes);
    return {};
  }

private:
  void *destination;
  uint64_t bytes;
};

inline float toFloat(float value) { return value; }
using runtime::toFloat;

/// destination (f32) = or += source (T).
template <typename T> class AccumulateRecord final : public PreparedRecord {
public:
  AccumulateRecord(float *destination, const T *source, int64_t count,
                   abi::Accumulation accumulation, const Team &team)
      : destination(destination), source(source), count(count), accumulation(accumulation),
        team(team) {}

  Status run(const SlotValues &slot) override {
    bool add = adds(accumulation, slot);
    // Chunks are whole cache lines, so that two threads never write the same one.
    constexpr int64_t chunk = 4096;
    team.parallel((count + chunk - 1) / chunk, [this, add](int64_t begin, int64_t end) {
      accumulate(begin * chunk, std::min(count, end * chunk), add);
    });
    return {};
  }

private:
  void accumulate(int64_t begin, int64_t end, bool add) {
    float *__restrict target = destination;
    if (add)
      for (int64_t i = begin; i < end; ++i)
        target[i] += toFloat(source[i]);
    else
      for (int64_t i = begin; i < end; ++i)
        target[i] = toFloat(source[i]);
  }

  float *destination;
  const T *source;
  int64_t count;
  abi::Accumulation accumulation;
  const Team &team;
};

} // namespace

PreparedPointer prepareLaunch(const abi::Launch &launch, const PrepareContext &context,
                              const KernelObject &object, const Team &team) {
  auto record = std::make_unique<LaunchRecord>(object.kernel(launch.kernel()), launch.trip(), team);
  for (const abi::Operand &operand : launch.operands())
    record->buffers.push_back(context.memory.address(context.program, operand));
  for (const abi::Scalar &scalar : launch.scalars()) {
    int64_t base = evaluate(scalar.expression(), context.executable.mesh(), context.rank);
    if (scalar.slot_value() != abi::Scalar::NONE)
      record->slotScalars.push_back({record->scalars.size(), base, scalar.slot_value()});
    record->scalars.push_back(base);
  }
  return record;
}

PreparedPointer prepareCopy(const abi::Copy &copy, const PrepareContext &context) {
  return std::make_unique<CopyRecord>(context.memory.address(context.program, copy.destination()),
                                      context.memory.address(context.program, copy.source()),
                                      copy.bytes());
}

PreparedPointer prepareFill(const abi::Fill &fill, const PrepareContext &context) {
  return std::make_unique<FillRecord>(context.memory.address(context.program, fill.destination()),
                                      fill.bytes());
}

PreparedPointer prepareAccumulate(const abi::Accumulate &accumulate, const PrepareContext &context,
                                  const Team &team) {
  auto *destination =
      reinterpret_cast<float *>(context.memory.address(context.program, accumulate.destination()));
  std::byte *source = context.memory.address(context.program, accumulate.source());
  auto make = [&]<typename T>(T) -> PreparedPointer {
    return std::make_unique<AccumulateRecord<T>>(destination, reinterpret_cast<const T *>(source),
                                                 accumulate.count(), accumulate.accumulation(),
                                                 team);
  };
  switch (accumulate.source_type()) {
  case abi::F16:
    return make(Float16());
  case abi::BF16:
    return make(BFloat16());
  default:
    return make(float());
  }
}

} // namespace pcc::runtime::host
