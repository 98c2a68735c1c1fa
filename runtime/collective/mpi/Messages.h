// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends and receives between ranks. They go through MPI even within one process.

#pragma once

#include "runtime/collective/mpi/Completion.h"
#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/Members.h"
#include "runtime/collective/mpi/Operation.h"

namespace pcc::runtime::mpi {

/// One side of a message.
class Message final : public Activity {
public:
  /// Prepares `call` of the member at `position`; the call must live until the completion is set.
  Message(const Members &members, Channel channel, int position, const CollectiveCall &call);

  /// Starts the message. Called on the engine's thread.
  void start();
  bool advance() override;
  bool isIdle() const override { return isDone; }

  const Completion &completion() const { return whenDone; }

private:
  Expected<int32_t> tag() const;
  void end(Status status);
  Status checkSize(int32_t bytes) const;

  const Members &members;
  const Channel channel;
  const int position;
  const CollectiveCall &call;
  PccMpiRequest request = 0;
  bool isDone = false;
  Completion whenDone;
};

} // namespace pcc::runtime::mpi
