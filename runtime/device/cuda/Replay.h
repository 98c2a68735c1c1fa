// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records that are run in the same order again and again, as graphs of the driver: it takes what
// they enqueue down once and then launches all of it by one call, where the host would make a call
// for each kernel, of some microseconds.
//
//   the first step                     each record by itself
//   between this step and the second   captured, instantiated and uploaded for each of its slots
//   from then on                       launched
//
// The executor says when nothing of the rank is under way (makeReady), for the driver takes memory
// for a graph and may wait for the whole GPU then: also for a receive, whose sender may wait for
// this rank. A kind of slot that nobody made ready is run record by record.

#ifndef PCC_RUNTIME_DEVICE_CUDA_REPLAY_H
#define PCC_RUNTIME_DEVICE_CUDA_REPLAY_H

#include "runtime/device/cuda/driver/Stream.h"

#include <map>

namespace pcc::runtime::cuda {

class Replay final : public PreparedRecord {
public:
  /// None of the records may depend on the step.
  Replay(std::vector<RecordToRun> records, Stream &stream);
  ~Replay() override;

  SlotUse uses() const override { return use; }
  Status run(const SlotValues &slot) override;
  void makeReady(const SlotValues &slot) override;

private:
  /// What of a slot the records depend on: microbatch, copy, first.
  using Kind = std::array<int64_t, 3>;
  Kind kindOf(const SlotValues &slot) const;
  Status runEach(const SlotValues &slot);
  GraphExecHandle capture(const SlotValues &slot);
  GraphExecHandle instantiate(GraphHandle graph);
  Status launch(GraphExecHandle graph);

  const std::vector<RecordToRun> records;
  Stream &stream;
  SlotUse use;
  /// Null for what cannot be captured (a library may do what a capture forbids); it is run as it
  /// is.
  std::map<Kind, GraphExecHandle> graphs;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_REPLAY_H
