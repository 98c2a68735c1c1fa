// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks with one GPU each, joined by NCCL. Batches are enqueued on streams, and the host waits only
// for the first rendezvous of a communicator's members.
//
//   start    the communicator's stream waits for what the rank has computed; then come packing, a
//            group of NCCL calls, unpacking, and an event
//   wait     the rank's own stream waits for that event
//
// Each group of ranks has a communicator and a stream of its own. NCCL runs the calls of one
// communicator in order, while each rank orders the batches of two groups independently.
//
// Messages. NCCL matches the messages of two ranks by order and has no tags. A waiting NCCL message
// delays all messages after it. pcc's messages have tags, and a message on the stream TRANSFER
// waits only for its own other side (docs/spec/check.md, section 3). A receive may be posted as
// soon as the step begins, long before its sender starts. Therefore:
//
// * Each direction between two ranks has a communicator of these two ranks, and a stream on either
//   side. So an awaited message delays neither the other direction nor messages of other ranks.
// * Messages of one direction share the communicator if both sides start them in the same order,
//   whatever their tags. Then the first waiting message is the first on both sides, and later ones
//   could not be received before it anyway. If the orders differ, each tag has a communicator of
//   its own: messages of one tag have the same order on both sides by definition.
//
// The messages are known before the run (execute/connect/JoinNccl.cpp). So these communicators are
// created, and connected by sending a byte, before the first step. Later a rank could not wait for
// that while other ranks wait for it.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/collective/nccl/RankComms.h"
#include "runtime/device/cuda/CudaDevice.h"

#include <memory>

namespace pcc::runtime::nccl {

/// Messages from one rank to another that share a communicator.
struct Route {
  int sender = 0, receiver = 0;
  std::vector<uint32_t> tags;
};

/// The ranks of a process.
class NcclRanks : public std::enable_shared_from_this<NcclRanks> {
public:
  /// `routes` lists the routes of all ranks, in the same order in all processes.
  NcclRanks(const Nccl &library, std::vector<Route> routes, CommOptions options = {})
      : library(library), routes(std::move(routes)), options(options) {}

  /// Returns the communicator of all ranks for one of them. The device of `parts` must outlive it.
  /// `host` joins the same ranks, which find each other through it. Called by every rank, on its
  /// thread.
  Expected<std::unique_ptr<Communicator>> join(std::shared_ptr<Communicator> host,
                                               cuda::RankParts parts);

  /// Ends every wait of every rank of this process. Any thread may call it.
  void abort(const std::string &reason);

private:
  const Nccl &library;
  const std::vector<Route> routes;
  const CommOptions options;
  std::mutex mutex;
  std::vector<std::weak_ptr<RankComms>> ranks;
  std::optional<std::string> aborted;
};

} // namespace pcc::runtime::nccl
