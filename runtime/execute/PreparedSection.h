// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section's records made ready for one rank. They are run in the order of the list by the rank's
// own thread. Collectives of the lanes COMMUNICATION and TRANSFER are started there and waited for
// when a later record waits for their event, or at the end of the step; all else is done on the
// spot.
//
// Neighbours in the list (check::Neighbours) become one batch, which costs the ranks one meeting.
// What touches rings of buffers is prepared once for each index, so nothing is looked up while it
// runs. Records of the device with nothing between them are given to it as one, if it gains by that
// (Device::join). A batch of messages may be started for another slot before it is done for the one
// before.

#ifndef PCC_RUNTIME_EXECUTE_PREPAREDSECTION_H
#define PCC_RUNTIME_EXECUTE_PREPAREDSECTION_H

#include "runtime/check/Neighbours.h"
#include "runtime/device/Device.h"
#include "runtime/execute/EventTable.h"

#include <optional>

namespace pcc::runtime {

/// The communicators of one rank for the memory of its device: all ranks, and the rank's list of
/// each group of the executable.
struct RankGroups {
  std::shared_ptr<Communicator> world;
  std::vector<std::unique_ptr<Communicator>> groups;

  /// Whether who waits for the device, or for room in what it has yet to do, waits for other ranks,
  /// since what they exchange is enqueued there.
  bool waitWithDevice() const { return world && world->isEnqueued() && world->size() > 1; }
};

class PreparedSection {
public:
  /// How the records of the device are run.
  struct Manner {
    /// Each is waited for, so that an error names it.
    bool isChecked = false;
    /// Each by itself, so that somebody can see when it ran.
    bool isSeen = false;
  };
  /// Prepares section `index` of the context's program for the device, which must outlive it.
  /// Errors: what the device cannot do.
  static Expected<PreparedSection> prepare(int index, const PrepareContext &context, Device &device,
                                           const RankGroups &groups, Manner manner);

  Status run(const SlotValues &slot, EventTable &events, Progress &progress, Trace &trace);

  /// Makes it ready to be run in such a slot again and again; PreparedRecord::makeReady says when.
  void makeReady(const SlotValues &slot);

  /// True if a record reads the space INPUT.
  bool readsInput() const { return usesInput; }

private:
  /// The records of the device from one step up to another, as one.
  struct Joined {
    size_t end;
    std::vector<std::unique_ptr<PreparedRecord>> whole; ///< by ring index
  };
  /// One record of the device, or one batch.
  struct Step {
    const abi::Record *record = nullptr;
    std::vector<std::unique_ptr<PreparedRecord>> local = {}; ///< by ring index
    std::unique_ptr<PreparedBatch> batch = nullptr;
    std::vector<PreparedWait> waits = {};
    std::optional<Joined> joined = std::nullopt; ///< with those behind it
  };
  Status waitBefore(const Step &step, const SlotValues &slot, EventTable &events,
                    Progress &progress, Trace &trace);
  Status runStep(Step &step, const SlotValues &slot, EventTable &events, Progress &progress,
                 Trace &trace);
  Status runJoined(Step &step, const SlotValues &slot, Progress &progress, Trace &trace);
  Status runLocal(Step &step, const SlotValues &slot, EventTable &events, Progress &progress,
                  Trace &trace);
  Status runBatch(Step &step, const SlotValues &slot, EventTable &events, Progress &progress,
                  Trace &trace);
  Progress::Waiting waitingForDevice(Progress &progress) const;
  void joinSteps();
  Status addLocal(const abi::Record &record, const PrepareContext &context);
  void addCollective(const abi::Record &record, const RankGroups &groups,
                     const check::Neighbours &neighbours);
  Status prepareCalls(Step &step, const PrepareContext &context);

  Device *device = nullptr;
  bool checksRecords = false;
  bool waitsWithDevice = false;
  bool usesInput = false;
  std::vector<Step> steps;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_PREPAREDSECTION_H
