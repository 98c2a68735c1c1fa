// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream on which a rank's communication runs, and how moves get there: copies by the driver,
// boxes and reductions by kernels that come with the program (docs/spec/kernels.md).

#ifndef PCC_RUNTIME_COLLECTIVE_GPU_MOVEQUEUE_H
#define PCC_RUNTIME_COLLECTIVE_GPU_MOVEQUEUE_H

#include "runtime/collective/gpu/Moves.h"
#include "runtime/device/cuda/Code.h"
#include "runtime/device/cuda/driver/SideStream.h"
#include "runtime/device/cuda/driver/Staging.h"

#include <map>

namespace pcc::runtime::gpu {

class MoveQueue {
public:
  /// `code` must outlive it.
  static Expected<std::unique_ptr<MoveQueue>> make(std::shared_ptr<const cuda::Gpu> gpu,
                                                   const cuda::Code &code);
  MoveQueue(std::shared_ptr<const cuda::Gpu> gpu, const cuda::Code &code,
            std::unique_ptr<cuda::SideStream> stream)
      : gpu(std::move(gpu)), code(code), side(std::move(stream)),
        staging(std::in_place, this->gpu, side->get()) {}
  ~MoveQueue();

  cuda::SideStream &stream() { return *side; }

  /// Enqueues them all. Errors: the driver's; Unavailable for code without a kernel that does it.
  /// Takes the memory that such moves need, so that enqueue() takes none: the driver may wait for
  /// all that is under way before it gives some.
  Status reserve(std::span<const Move> moves);

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
  /// Addresses of the sources and targets of reductions, one after the other, in the last of these;
  /// written on the stream itself, so behind those who still read what was there. Those that became
  /// too small stay to the end: the driver frees memory when the whole GPU is idle, which may wait
  /// for other ranks. `nextTable`: of the next reduction.
  std::vector<std::unique_ptr<Allocation>> tables;
  uint64_t tableBytes = 0;
  std::byte *nextTable = nullptr;
};

} // namespace pcc::runtime::gpu

#endif // PCC_RUNTIME_COLLECTIVE_GPU_MOVEQUEUE_H
