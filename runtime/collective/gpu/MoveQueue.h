// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream that runs a rank's communication, and how moves are enqueued on it. The driver does
// copies. Support kernels of the program do boxes and reductions (docs/spec/kernels.md).

#pragma once

#include "runtime/collective/gpu/Moves.h"
#include "runtime/device/cuda/Code.h"
#include "runtime/device/cuda/driver/SideStream.h"
#include "runtime/device/cuda/driver/Staging.h"

#include <map>

namespace pcc::runtime::gpu {

class MoveQueue {
public:
  /// `code` must outlive the queue.
  static Expected<std::unique_ptr<MoveQueue>> make(std::shared_ptr<const cuda::Gpu> gpu,
                                                   const cuda::Code &code);
  MoveQueue(std::shared_ptr<const cuda::Gpu> gpu, const cuda::Code &code,
            std::unique_ptr<cuda::SideStream> stream)
      : gpu(std::move(gpu)), code(code), side(std::move(stream)),
        staging(std::in_place, this->gpu, side->get()) {}
  ~MoveQueue();

  cuda::SideStream &stream() { return *side; }

  /// Allocates the memory that such moves need, so that enqueue() allocates none: the driver may
  /// wait for all in-flight work before it allocates.
  Status reserve(std::span<const Move> moves);

  /// Enqueues all moves, in order. Errors: driver errors; Unavailable for code without the required
  /// kernel.
  Status enqueue(std::span<const Move> moves);

private:
  Status enqueueOne(const CopyBytes &copy);
  Status enqueueOne(const ZeroBytes &zero);
  Status enqueueOne(const MoveBox &box);
  Status enqueueOne(const Reduction &reduction);
  Status sendTables(std::span<const Move> moves);
  Status launch(const std::string &function, int64_t elements, std::vector<std::byte *> pointers,
                std::span<const int64_t> numbers);

  std::shared_ptr<const cuda::Gpu> gpu;
  const cuda::Code &code;
  std::unique_ptr<cuda::SideStream> side;
  std::optional<cuda::Staging> staging;
  std::map<std::string, cuda::FunctionHandle> functions;
  /// Tables of the addresses of reductions' sources and targets; the last table is in use. They are
  /// written on the stream itself, so after all earlier readers. Outgrown tables stay allocated
  /// until the end: the driver frees memory only when the whole GPU is idle, which may mean waiting
  /// for other ranks. `nextTable` points to the addresses of the next reduction.
  std::vector<std::unique_ptr<Allocation>> tables;
  uint64_t tableBytes = 0;
  std::byte *nextTable = nullptr;
};

} // namespace pcc::runtime::gpu
