// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory between a rank's buffers and MPI. Each training step needs the same sizes again, so
// returned memory is kept.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_STAGING_H
#define PCC_RUNTIME_COLLECTIVE_MPI_STAGING_H

#include "runtime/base/Base.h"

#include <map>

namespace pcc::runtime::mpi {

class StagingPool;

/// Bytes from a pool, which must outlive them. Null by default.
class Staging {
public:
  Staging() = default;
  Staging(StagingPool &pool, int64_t bytes);
  Staging(Staging &&other) noexcept { *this = std::move(other); }
  Staging &operator=(Staging &&other) noexcept {
    std::swap(pool, other.pool);
    std::swap(bytes, other.bytes);
    std::swap(memory, other.memory);
    return *this;
  }
  ~Staging();

  std::byte *data() const { return memory.get(); }

private:
  StagingPool *pool = nullptr;
  int64_t bytes = 0;
  AlignedBytes memory;
};

/// Used by one thread.
class StagingPool {
public:
  AlignedBytes take(int64_t bytes) {
    AlignedBytes memory;
    if (auto found = kept.find(bytes); found != kept.end()) {
      memory = std::move(found->second);
      kept.erase(found);
    } else {
      memory = allocateAligned(uint64_t(bytes));
    }
    isShort |= !memory;
    return memory;
  }
  /// Returns whether a request ever failed for lack of memory.
  bool ranOutOfMemory() const { return isShort; }

  void giveBack(int64_t bytes, AlignedBytes memory) { kept.emplace(bytes, std::move(memory)); }

private:
  std::multimap<int64_t, AlignedBytes> kept;
  bool isShort = false;
};

inline Staging::Staging(StagingPool &pool, int64_t bytes)
    : pool(&pool), bytes(bytes), memory(pool.take(bytes)) {}

inline Staging::~Staging() {
  if (memory)
    pool->giveBack(bytes, std::move(memory));
}

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_STAGING_H
