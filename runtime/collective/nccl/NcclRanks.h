// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that have a GPU each, joined by NCCL: batches take their places in streams, and the host
// waits for nothing but the first meeting of a communicator's members.
//
//   start    the communicator's stream waits for what the rank has computed; then comes what is
//            packed, a group of NCCL's calls, what is unpacked, and an event
//   wait     the rank's own stream is told to wait for that event
//
// Each group of ranks has a communicator and a stream of its own, since NCCL does what it has of
// one communicator in order, while the order of batches of two groups is each rank's own.
//
// Messages. NCCL matches the messages of two ranks by their order, knows no tags, and one that
// waits for its other side holds up all behind it. pcc's messages have tags, and one on the lane
// TRANSFER waits for its own other side alone (docs/spec/check.md, section 3): a receive may be
// posted as soon as the step begins, and the answer to it sent long before. So
//
//   * each direction between two ranks has a communicator of its own, of these two, and a stream on
//     either side: what one rank awaits never holds up what it sends, nor what another sends it;
//   * messages of one direction share it where both sides start them in the same order, whatever
//     their tags: then the first that waits is the first on both sides, and what is behind it could
//     not be received before it either. Where the orders differ each tag has one of its own: of one
//     tag the order is the same by what a tag means.
//
// Which messages there are is known before the run (execute/MessageRoutes.h), so these
// communicators are made, and connected by a byte, before the first step; a rank could not wait for
// that while others wait for it.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_NCCLRANKS_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_NCCLRANKS_H

#include "runtime/collective/Communicator.h"
#include "runtime/collective/nccl/RankComms.h"
#include "runtime/device/cuda/CudaDevice.h"

#include <memory>

namespace pcc::runtime::nccl {

/// Messages from one rank to another that have a communicator in common.
struct Route {
  int sender = 0, receiver = 0;
  std::vector<uint32_t> tags;
};

/// Those of a process.
class NcclRanks : public std::enable_shared_from_this<NcclRanks> {
public:
  /// `routes`: of all ranks, in an order that all processes have in common.
  NcclRanks(const Nccl &library, std::vector<Route> routes, CommOptions options = {})
      : library(library), routes(std::move(routes)), options(options) {}

  /// The communicator of all ranks for one of them, with the parts of its device, which must
  /// outlive it. `host` joins the same ranks; by it they find each other. Called by every rank, on
  /// its thread.
  Expected<std::unique_ptr<Communicator>> join(std::shared_ptr<Communicator> host,
                                               cuda::RankParts parts);

  /// Ends every wait of every rank of this process. May be called from any thread.
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

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_NCCLRANKS_H
