// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the runs in list order. A write ends the live range of a piece's value and begins the
// next one. The levels result from a sweep over all begins and ends, in which ends come first.

#include "runtime/simulate/LiveMemory.h"

#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/program/BufferRings.h"

#include <algorithm>
#include <map>

namespace pcc::simulate {
namespace {

/// A run of an instruction that wrote through a buffer.
struct Writer {
  size_t action = 0;
  uint32_t instruction = 0, buffer = 0;

  auto operator<=>(const Writer &) const = default;
};

/// A piece of memory during the lifetime of one value.
struct LiveRange {
  Span live;
  uint32_t piece = 0;
  Writer writer;
};

class MemoryTracker {
public:
  explicit MemoryTracker(const check::ByteMap &bytes) : bytes(bytes), pieces(bytes.size()) {}

  void follow(uint32_t instruction, size_t action, uint64_t number, bool isFirst, const Span &span);
  void finish();
  std::vector<LiveBytes> listLevels() const;
  /// Lists the live bytes at a time by writer; sections are not filled in.
  std::vector<LiveTensor> listTensors(double time) const;

private:
  struct Piece {
    bool isLive = false;
    Span live;
    Writer writer;
  };
  void close(uint32_t piece);
  void read(uint32_t piece, const Span &span, const Writer &reader);
  void write(uint32_t piece, const Span &span, const Writer &writer);

  const check::ByteMap &bytes;
  std::vector<Piece> pieces;
  std::vector<LiveRange> liveRanges;
};

void MemoryTracker::close(uint32_t piece) {
  Piece &own = pieces[piece];
  if (own.isLive && own.live.length() > 0)
    liveRanges.push_back({own.live, piece, own.writer});
  own.isLive = false;
}

void MemoryTracker::follow(uint32_t instruction, size_t action, uint64_t number, bool isFirst,
                           const Span &span) {
  auto touchAll = [&](const check::Touch &touch, auto visit) {
    const check::Pieces &range = touch.of(number);
    for (uint32_t piece = range.first; piece < range.end; ++piece)
      if (bytes.spaceOf(piece) == abi::TEMPORARY)
        (this->*visit)(piece, span, Writer{action, instruction, touch.buffer});
  };
  for (const check::Touch &touch : bytes.touchesOf(instruction)) {
    bool reads = touch.reads == abi::Reads::Yes || touch.reads == abi::Reads::Perhaps ||
                 (touch.reads == abi::Reads::AfterFirst && !isFirst);
    if (reads)
      touchAll(touch, &MemoryTracker::read);
  }
  for (const check::Touch &touch : bytes.touchesOf(instruction))
    if (touch.writes)
      touchAll(touch, &MemoryTracker::write);
}

void MemoryTracker::read(uint32_t piece, const Span &span, const Writer &reader) {
  Piece &own = pieces[piece];
  if (!own.isLive)
    own = {true, span, reader};
  own.live.end = std::max(own.live.end, span.end);
}

/// Replaces the value of a piece. A value that is still read while it is overwritten (in place)
/// lives on.
void MemoryTracker::write(uint32_t piece, const Span &span, const Writer &writer) {
  Piece &own = pieces[piece];
  double end = own.isLive ? std::max(own.live.end, span.end) : span.end;
  if (own.isLive && own.live.end > span.begin)
    own.live.end = span.begin;
  else
    end = span.end;
  close(piece);
  own = {true, {span.begin, end}, writer};
}

void MemoryTracker::finish() {
  for (uint32_t piece = 0; piece < pieces.size(); ++piece)
    close(piece);
}

std::vector<LiveBytes> MemoryTracker::listLevels() const {
  struct Change {
    double time;
    int64_t bytes;
  };
  std::vector<Change> changes;
  for (const LiveRange &liveRange : liveRanges) {
    int64_t size = int64_t(bytes.bytesOf(liveRange.piece));
    changes.push_back({liveRange.live.begin, size});
    changes.push_back({liveRange.live.end, -size});
  }
  // Lifetimes that end at a time free their bytes before others begin.
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

std::vector<LiveTensor> MemoryTracker::listTensors(double time) const {
  std::map<Writer, uint64_t> sizes;
  for (const LiveRange &liveRange : liveRanges)
    if (liveRange.live.begin <= time && time < liveRange.live.end)
      sizes[liveRange.writer] += bytes.bytesOf(liveRange.piece);
  std::vector<LiveTensor> tensors;
  for (const auto &[writer, size] : sizes)
    tensors.push_back({0, writer.instruction, writer.buffer, writer.action, size});
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const LiveTensor &a, const LiveTensor &b) { return a.bytes > b.bytes; });
  return tensors;
}

} // namespace

Memory trackMemory(const check::ProgramIndex &index, const check::ByteMap &bytes,
                   const FlatProgram &flatProgram, const std::vector<Span> &spans) {
  MemoryTracker follower(bytes);
  forEachRun(flatProgram, [&](size_t run, size_t action, uint32_t instruction, bool isFirst) {
    if (spans[run].hasTime())
      follower.follow(instruction, action,
                      abi::ringIndex(index.executable.batch(), flatProgram.actions[action]),
                      isFirst, spans[run]);
  });
  follower.finish();
  const abi::MemoryPlan &plan = index.program.memory();
  Memory memory{.held = plan.persistent_bytes() + plan.input_bytes() +
                        abi::constantBytes(index.executable),
                .live = follower.listLevels()};
  memory.planned = memory.held + plan.temporary_bytes();
  auto peak =
      std::max_element(memory.live.begin(), memory.live.end(),
                       [](const LiveBytes &a, const LiveBytes &b) { return a.bytes < b.bytes; });
  memory.peakLive = memory.held;
  if (peak == memory.live.end())
    return memory;
  memory.peakLive += peak->bytes;
  memory.atPeak = follower.listTensors(peak->begin);
  for (LiveTensor &tensor : memory.atPeak) {
    tensor.section = flatProgram.actions[tensor.action].section();
    tensor.instruction -= index.firstOf[tensor.section];
  }
  return memory;
}

} // namespace pcc::simulate
