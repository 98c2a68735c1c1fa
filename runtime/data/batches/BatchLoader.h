// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the next rows of a rank ahead, on a thread of its own, while the rank computes. On request
// it has no such thread, and reads when it is asked.
//
//   auto loader = BatchLoader::start(reader, placesOf, {.blocks = steps});
//   for (int64_t step = 0; step < steps; ++step) {
//     Status status = (*loader)->take(addressOf, parallelFor);
//     …
//   }
//
// The rows of one action form a block. Blocks are numbered in the order in which they are taken.
// They use a ring of slots. Each slot has one owner at any time:
//
//   slot of block n        owner              from                        to
//   free                   loader's thread    block n - slots is taken    `loaded` becomes n + 1
//   full                   the rank's thread  `loaded` becomes n + 1      `taken` becomes n + 1
//
// The mutex guards the two counters and the failure. So a change of a counter hands over the slot.
// The loader's thread also owns the reader. An error ends it, and take() returns the error when it
// comes to the block: the steps before are complete.

#pragma once

#include "runtime/data/batches/BatchReader.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace pcc::runtime {

struct LoaderOptions {
  /// Number of all blocks.
  int64_t blocks = 0;
  /// Blocks of a step, which are read ahead as far as `maxBytes` allow, but at least one. 0: take()
  /// reads its block itself, for devices that compute while the threads of the rank do other work.
  int64_t blocksAhead = 1;
  int64_t maxBytes = int64_t(64) << 20;
};

class BatchLoader {
public:
  /// Returns the places of a block, as many for each block: one for each copy that its action has.
  /// Runs on the loader's thread.
  using PlacesOf = std::function<std::vector<BatchPlace>(int64_t block)>;
  /// Returns where the rows at a place of the block belong.
  using AddressOf = std::function<std::byte *(size_t place, const abi::Input &input)>;

  /// Starts to read. What `reader` refers to must outlive the loader. Error: no more threads.
  static Expected<std::unique_ptr<BatchLoader>> start(BatchReader reader, PlacesOf placesOf,
                                                      const LoaderOptions &options);
  /// Stops reading. Waits until the current block is read.
  ~BatchLoader();
  BatchLoader(const BatchLoader &) = delete;
  BatchLoader &operator=(const BatchLoader &) = delete;

  /// Waits for the next block and copies its rows, or reads them with all threads of `parallelFor`.
  /// Beats while the loader's thread does (Heartbeat.h). Errors: those of BatchReader::read().
  Status take(const AddressOf &addressOf, const ParallelFor &parallelFor);

private:
  BatchLoader(BatchReader reader, PlacesOf placesOf, const LoaderOptions &options);
  void run();
  Status readBlocks();
  Status readDirectly(const AddressOf &addressOf, const ParallelFor &parallelFor);
  Status read(int64_t block);
  bool waitUntilFree();
  Status waitUntilLoaded();
  /// The rows of one input at one place of a block.
  std::byte *slotOf(int64_t block, size_t place, size_t input);

  const BatchReader reader;
  const PlacesOf placesOf;
  const int64_t blocks;
  const std::vector<InputBytes> inputs;
  const size_t places;
  /// Offsets of the inputs in the rows of a place, and the bytes of all of them.
  std::vector<uint64_t> offsets;
  uint64_t placeBytes = 0;
  int64_t slots = 1;
  AlignedBytes memory;

  std::mutex mutex;
  std::condition_variable changed;
  int64_t loaded = 0, taken = 0;
  std::optional<Status> failure;
  bool isStopped = false;
  std::atomic<int64_t> beats = 0;
  std::thread thread;
};

} // namespace pcc::runtime
