// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/LiveMemory.h"

#include "runtime/abi/RingCopy.h"

#include <algorithm>

namespace pcc::simulate {
namespace {

/// So many bytes more, or less, from `time` on.
struct Change {
  double time;
  int64_t bytes;
};

class MemoryFollower {
public:
  MemoryFollower(const check::ByteMap &bytes, const abi::BatchPlan &batch)
      : bytes(bytes), batch(batch), pieces(bytes.size()) {}

  void follow(uint32_t record, const abi::Slot &slot, bool isFirst, const Span &span);
  std::vector<LiveBytes> finish();

private:
  struct Piece {
    bool isLive = false;
    Span live;
  };
  void close(uint32_t piece);
  void read(uint32_t piece, const Span &span);
  void write(uint32_t piece, const Span &span);
  void touchAll(const check::Pieces &range, const Span &span,
                void (MemoryFollower::*touch)(uint32_t, const Span &));

  const check::ByteMap &bytes;
  const abi::BatchPlan &batch;
  std::vector<Piece> pieces;
  std::vector<Change> changes;
};

void MemoryFollower::close(uint32_t piece) {
  const Piece &own = pieces[piece];
  int64_t size = int64_t(bytes.bytesOf(piece));
  if (!own.isLive || own.live.length() <= 0)
    return;
  changes.push_back({own.live.begin, size});
  changes.push_back({own.live.end, -size});
}

void MemoryFollower::follow(uint32_t record, const abi::Slot &slot, bool isFirst,
                            const Span &span) {
  uint64_t number = abi::ringIndex(batch, slot);
  for (const check::Touch &touch : bytes.touchesOf(record)) {
    bool reads = touch.reads == abi::Reads::Yes || touch.reads == abi::Reads::Perhaps ||
                 (touch.reads == abi::Reads::AfterFirst && !isFirst);
    if (reads)
      touchAll(touch.of(number), span, &MemoryFollower::read);
  }
  for (const check::Touch &touch : bytes.touchesOf(record))
    if (touch.writes)
      touchAll(touch.of(number), span, &MemoryFollower::write);
}

void MemoryFollower::touchAll(const check::Pieces &range, const Span &span,
                              void (MemoryFollower::*touch)(uint32_t, const Span &)) {
  for (uint32_t piece = range.first; piece < range.end; ++piece)
    if (bytes.spaceOf(piece) == abi::TEMPORARY)
      (this->*touch)(piece, span);
}

void MemoryFollower::read(uint32_t piece, const Span &span) {
  Piece &own = pieces[piece];
  if (!own.isLive)
    own = {true, span};
  own.live.end = std::max(own.live.end, span.end);
}

/// What is still read while it is written, as in place, lives on.
void MemoryFollower::write(uint32_t piece, const Span &span) {
  if (pieces[piece].isLive && pieces[piece].live.end > span.begin)
    return read(piece, span);
  close(piece);
  pieces[piece] = {true, span};
}

std::vector<LiveBytes> MemoryFollower::finish() {
  for (uint32_t piece = 0; piece < pieces.size(); ++piece)
    if (pieces[piece].isLive)
      close(piece);
  // What ends at a time makes room for what begins then.
  std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
    return a.time != b.time ? a.time < b.time : a.bytes < b.bytes;
  });
  std::vector<LiveBytes> levels;
  int64_t level = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    level += changes[i].bytes;
    bool isLast = i + 1 == changes.size() || changes[i + 1].time != changes[i].time;
    if (isLast && (levels.empty() || levels.back().bytes != uint64_t(level)))
      levels.push_back({changes[i].time, uint64_t(level)});
  }
  return levels;
}

} // namespace

Memory followMemory(const check::ProgramIndex &index, const check::ByteMap &bytes,
                    const Script &script, const std::vector<Span> &spans) {
  MemoryFollower follower(bytes, index.executable.batch());
  forEachRun(script, [&](size_t run, size_t slot, uint32_t record, bool isFirst) {
    if (spans[run].isEver())
      follower.follow(record, script.slots[slot], isFirst, spans[run]);
  });
  const abi::MemoryPlan &plan = index.program.memory();
  Memory memory{.held = plan.persistent_bytes() + plan.input_bytes() +
                        index.executable.constants().size(),
                .live = follower.finish()};
  memory.planned = memory.held + plan.temporary_bytes();
  memory.peakLive = memory.held;
  for (const LiveBytes &level : memory.live)
    memory.peakLive = std::max(memory.peakLive, memory.held + level.bytes);
  return memory;
}

} // namespace pcc::simulate
