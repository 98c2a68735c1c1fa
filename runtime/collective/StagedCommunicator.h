// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs collectives on memory that only a device reaches, through host memory. Sources are copied to
// the host when a batch starts, and destinations are copied to the device when it is waited for. So
// every transport serves every device, at the cost of two copies over the device's link to the
// host.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/device/Device.h"

#include <map>

namespace pcc::runtime {

class StagedCommunicator : public Communicator {
public:
  /// Uses `transport` for memory of `device`, which must outlive this object.
  StagedCommunicator(std::shared_ptr<Communicator> transport, Device &device)
      : transport(std::move(transport)), device(device) {}

  int position() const override { return transport->position(); }
  int size() const override { return transport->size(); }
  Expected<Request> start(std::span<const CollectiveCall> calls) override;
  Status wait(Request request, TransferInterval &interval) override;
  void abort(const std::string &reason) override { transport->abort(reason); }
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override;

private:
  using Bytes = std::vector<std::byte>;

  /// A destination in device memory, and the host image that replaces it in the call.
  struct Destination {
    std::byte *address;
    size_t image; ///< index into Batch::images
  };
  /// A batch between start and wait.
  struct Batch {
    std::vector<CollectiveCall> calls;
    std::vector<Bytes> images;
    std::vector<Destination> destinations;
    Request request;
  };
  Status stage(const CollectiveCall &call, Batch &batch);
  Expected<std::byte *> addImage(Batch &batch, uint64_t bytes, const void *content);

  const std::shared_ptr<Communicator> transport;
  Device &device;
  uint64_t started = 0;
  std::map<uint64_t, Batch> batches;
  std::vector<Bytes> idle;
};

} // namespace pcc::runtime
