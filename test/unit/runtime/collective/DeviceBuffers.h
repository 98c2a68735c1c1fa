// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A communicator over device memory for callers whose buffers are on the host. Buffers go to the
// device when a batch starts; results come back when the caller waits for the batch.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/device/Device.h"

#include <map>

namespace pcc::test {

class OnDevice : public runtime::Communicator {
public:
  OnDevice(std::unique_ptr<runtime::Communicator> group, std::shared_ptr<runtime::Device> device)
      : device(std::move(device)), group(std::move(group)) {}

  int position() const override { return group->position(); }
  int size() const override { return group->size(); }
  runtime::Expected<runtime::Request>
  start(std::span<const runtime::CollectiveCall> calls) override;
  runtime::Status wait(runtime::Request request, runtime::TransferInterval &interval) override;
  runtime::Status status() const override { return group->status(); }
  void abort(const std::string &reason) override { group->abort(reason); }
  runtime::Expected<std::unique_ptr<runtime::Communicator>> split(int color, int key) override;

private:
  struct Written {
    std::span<std::byte> host;
    const std::byte *device;
  };
  struct Batch {
    std::vector<runtime::CollectiveCall> calls;
    std::vector<std::unique_ptr<runtime::Allocation>> memory;
    std::vector<Written> written;
  };
  runtime::Expected<std::byte *> upload(Batch &batch, const void *content, int64_t bytes);

  std::shared_ptr<runtime::Device> device; ///< destroyed last
  std::unique_ptr<runtime::Communicator> group;
  std::map<uint64_t, Batch> batches;
};

} // namespace pcc::test
