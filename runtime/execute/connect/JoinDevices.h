// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the devices that a program was compiled for, and chooses the communicator through which
// they exchange data. Devices with host memory use the host's communicator itself; other devices
// use the fastest transport that reaches them.

#pragma once

#include "runtime/collective/World.h"
#include "runtime/device/Device.h"

#include <vector>

namespace pcc::runtime {

/// Opens a device for each local rank of `world`, a rank of this process. If the executable has GPU
/// code, each device is a GPU. The ranks share `threads` host threads (0: one per core).
/// Errors: those of makeCudaDevices and makeHostDevices.
Expected<std::vector<std::unique_ptr<Device>>> openDevices(const abi::Executable &executable,
                                                           const World &world, int threads);

/// Takes a rank's host communicator of all ranks and returns the communicator for its device's
/// memory. The device must outlive the result. Every rank calls it once, on its own thread.
using JoinDevices = std::function<Expected<std::shared_ptr<Communicator>>(
    std::shared_ptr<Communicator> host, Device &device)>;

struct JoinOptions {
  /// Always use the host's communicator.
  bool viaHost = false;
  /// Use NCCL or fail.
  bool requiresNccl = false;
  /// Seconds that a rank may wait for other ranks; 0: no limit.
  double timeout = 0;
  /// Called with the reason if the ranks are joined by a slower transport than possible; null: no
  /// warning.
  std::function<void(const std::string &)> warn = {};
};

/// Chooses the transport for the devices of this process's ranks, given in rank order. Ranks that
/// share a GPU exchange through its memory. Ranks with one GPU each use NCCL. All others use the
/// host's communicator.
JoinDevices chooseJoin(const World &world, const abi::Executable &executable,
                       std::span<const std::unique_ptr<Device>> devices,
                       const JoinOptions &options);

} // namespace pcc::runtime
