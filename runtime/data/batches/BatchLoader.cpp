// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ahead on a single thread, since the threads of the rank compute meanwhile. They copy large
// blocks together.

#include "runtime/data/batches/BatchLoader.h"

#include "runtime/abi/files/Heartbeat.h"
#include "runtime/base/CatchExceptions.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime {
namespace {

/// Copies bytes, on several threads if there are at least 256 KiB.
void copyBytes(std::byte *to, const std::byte *from, int64_t bytes,
               const ParallelFor &parallelFor) {
  constexpr int64_t chunk = 1 << 16;
  auto copyChunks = [&](int64_t begin, int64_t end) {
    int64_t first = begin * chunk, last = std::min(end * chunk, bytes);
    std::memcpy(to + first, from + first, size_t(last - first));
  };
  int64_t chunks = (bytes + chunk - 1) / chunk;
  if (chunks < 4)
    copyChunks(0, chunks);
  else
    parallelFor(chunks, copyChunks);
}

} // namespace

BatchLoader::BatchLoader(BatchReader given, PlacesOf placesOfBlock, const LoaderOptions &options)
    : reader(std::move(given)), placesOf(std::move(placesOfBlock)), blocks(options.blocks),
      inputs(reader.inputs()), places(blocks > 0 ? placesOf(0).size() : 0) {
  constexpr uint64_t alignment = 64;
  for (const InputBytes &input : inputs) {
    offsets.push_back(placeBytes);
    placeBytes += (uint64_t(input.bytes) + alignment - 1) / alignment * alignment;
  }
  int64_t blockBytes = std::max<int64_t>(1, int64_t(placeBytes * places));
  slots = std::clamp<int64_t>(options.maxBytes / blockBytes,
                              std::min<int64_t>(1, options.blocksAhead), options.blocksAhead);
}

Expected<std::unique_ptr<BatchLoader>> BatchLoader::start(BatchReader reader, PlacesOf placesOf,
                                                          const LoaderOptions &options) {
  std::unique_ptr<BatchLoader> loader(
      new BatchLoader(std::move(reader), std::move(placesOf), options));
  if (loader->slots == 0)
    return loader;
  uint64_t bytes = loader->placeBytes * loader->places * uint64_t(loader->slots);
  loader->memory = allocateAligned(bytes);
  if (!loader->memory)
    return Status::failed(fmt::format("no memory for {} bytes of rows that are read ahead", bytes));
  if (Status status = startThread(loader->thread, [own = loader.get()] { own->run(); });
      !status.ok())
    return status;
  return loader;
}

BatchLoader::~BatchLoader() {
  {
    std::lock_guard lock(mutex);
    isStopped = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

std::byte *BatchLoader::slotOf(int64_t block, size_t place, size_t input) {
  uint64_t slot = uint64_t(block % slots) * places + place;
  return memory.get() + slot * placeBytes + offsets[input];
}

void BatchLoader::run() {
  abi::lastBeat = &beats;
  Status status = catchExceptions([&] { return readBlocks(); });
  if (status.ok())
    return;
  std::lock_guard lock(mutex);
  failure = std::move(status);
  changed.notify_all();
}

Status BatchLoader::readBlocks() {
  for (int64_t block = 0; block < blocks && waitUntilFree(); ++block) {
    if (Status status = read(block); !status.ok())
      return status;
    std::lock_guard lock(mutex);
    ++loaded;
    changed.notify_all();
  }
  return {};
}

/// Waits for a free slot. Returns false if no further block is needed.
bool BatchLoader::waitUntilFree() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return isStopped || loaded - taken < slots; });
  return !isStopped;
}

Status BatchLoader::read(int64_t block) {
  std::vector<BatchPlace> own = placesOf(block);
  for (size_t place = 0; place < own.size(); ++place) {
    auto addressOf = [&](const abi::Input &input) {
      auto same = std::ranges::find(inputs, &input, &InputBytes::input);
      return slotOf(block, place, size_t(same - inputs.begin()));
    };
    Status status =
        reader.read(own[place], addressOf, [](int64_t count, const auto &body) { body(0, count); });
    if (!status.ok())
      return status;
  }
  return {};
}

/// Waits until the next block is loaded, and returns the failure if it never will be.
Status BatchLoader::waitUntilLoaded() {
  constexpr auto beatInterval = std::chrono::milliseconds(100);
  int64_t seen = beats;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, beatInterval, [&] { return loaded > taken || failure; }))
    if (int64_t now = beats; now != seen) {
      seen = now;
      abi::beat();
    }
  return loaded > taken ? Status() : *failure;
}

Status BatchLoader::readDirectly(const AddressOf &addressOf, const ParallelFor &parallelFor) {
  std::vector<BatchPlace> own = placesOf(taken);
  for (size_t place = 0; place < own.size(); ++place) {
    auto address = [&](const abi::Input &input) { return addressOf(place, input); };
    if (Status status = reader.read(own[place], address, parallelFor); !status.ok())
      return status;
  }
  ++taken;
  return {};
}

Status BatchLoader::take(const AddressOf &addressOf, const ParallelFor &parallelFor) {
  if (slots == 0)
    return readDirectly(addressOf, parallelFor);
  if (Status status = waitUntilLoaded(); !status.ok())
    return status;
  // Only this thread changes `taken`.
  for (size_t place = 0; place < places; ++place)
    for (size_t input = 0; input < inputs.size(); ++input)
      copyBytes(addressOf(place, *inputs[input].input), slotOf(taken, place, input),
                inputs[input].bytes, parallelFor);
  {
    std::lock_guard lock(mutex);
    ++taken;
  }
  changed.notify_all();
  return {};
}

} // namespace pcc::runtime
