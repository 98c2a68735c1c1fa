// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records that are run in the same order again and again, as graphs of the driver: it takes what
// they enqueue down once and then launches all of it by one call, where the host would make a call
// for each kernel, of some microseconds.
//
//   1st run in a slot of its kind    each record by itself
//   2nd                              captured, then launched
//   3rd and on                       launched

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

private:
  /// What of a slot the records depend on: microbatch, copy, first.
  using Kind = std::array<int64_t, 3>;
  /// Of one kind of slot.
  struct Recording {
    /// What cannot be captured (a library may do what a capture forbids) is run as it is.
    enum class State { Fresh, Seen, Captured, Refused } state = State::Fresh;
    GraphExecHandle graph = nullptr;
  };
  Kind kindOf(const SlotValues &slot) const;
  Status runEach(const SlotValues &slot);
  GraphExecHandle capture(const SlotValues &slot);
  Status launch(GraphExecHandle graph);

  const std::vector<RecordToRun> records;
  Stream &stream;
  SlotUse use;
  std::map<Kind, Recording> recordings;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_REPLAY_H
