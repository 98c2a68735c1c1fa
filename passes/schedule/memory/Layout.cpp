// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out frames first, fills their gaps with the largest buffers first, then packs rings and the
// remaining buffers (passes/solve/pack). The lower bound sums what is live in the worst action of
// the step.
#include "passes/schedule/memory/LiveRanges.h"

#include "passes/solve/pack/PackSearch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pcc::task::PlaceAttr;
using pcc::task::Space;

namespace pcc::schedule {

static int64_t alignedBytes(const Buffer *buffer) {
  return int64_t(llvm::alignTo(std::max<int64_t>(buffer->bytes, 1), task::bufferAlignment));
}

static solve::PackItem itemOf(const Buffer *buffer) {
  return {buffer->bytes, buffer->first, buffer->last};
}

Layout::Layout(Values &values, const Rings *rings, ArrayRef<SectionTimes> times,
               MLIRContext *context)
    : values(values), rings(rings), times(times), context(context) {}

/// Lays out a frame. All residuals are live between its sections, so any order needs the same
/// bytes. The buffers that live longest come first, so that gaps are contiguous if live ranges are
/// nested.
void Layout::addFrame(unsigned number) {
  Frame frame{number, values.inFrame(number), {}, {}, 0};
  if (frame.buffers.empty())
    return;
  llvm::stable_sort(frame.buffers, [](const Buffer *a, const Buffer *b) {
    return a->last - a->first > b->last - b->first;
  });
  for (const Buffer *buffer : frame.buffers) {
    frame.items.items.push_back(itemOf(buffer));
    frame.offsets.push_back(frame.bytes);
    frame.bytes += alignedBytes(buffer);
  }
  frames.push_back(std::move(frame));
}

/// Puts a buffer into the smallest gap of a frame. The buffer must be used within one section that
/// runs while the frame exists. A returned value is read after the section and cannot use a gap.
bool Layout::fillGap(Buffer *buffer) {
  auto section = llvm::find_if(times, [&](const SectionTimes &section) {
    return section.start <= buffer->first && buffer->last < section.end;
  });
  if (section == times.end())
    return false;
  Frame *best = nullptr;
  solve::Gap smallest;
  for (Frame &frame : frames) {
    if (!rings->getFrames()[frame.number].inside.contains(unsigned(section - times.begin())))
      continue;
    solve::Gap gap = solve::findGap(frame.items, frame.offsets, itemOf(buffer), frame.bytes);
    if (gap.offset >= 0 && (!best || gap.bytes < smallest.bytes)) {
      best = &frame;
      smallest = gap;
    }
  }
  if (!best)
    return false;
  best->buffers.push_back(buffer);
  best->items.items.push_back(itemOf(buffer));
  best->offsets.push_back(smallest.offset);
  return true;
}

/// Returns the interval from the first to the last section that runs while any frame of the ring is
/// in use.
SectionTimes Layout::usedTimes(const FrameRing &ring) const {
  SectionTimes used = times[ring.maker];
  for (const UseInterval &interval : ring.intervals)
    for (int64_t action = interval.first; action <= interval.last; ++action) {
      const SectionTimes &section = times[rings->getActions()[action].section];
      used.start = std::min(used.start, section.start);
      used.end = std::max(used.end, section.end);
    }
  return used;
}

void Layout::setPlaces(const Frame &frame, int64_t offset) {
  int64_t depth = rings->getFrames()[frame.number].depth;
  for (auto [buffer, own] : llvm::zip_equal(frame.buffers, frame.offsets))
    buffer->place =
        PlaceAttr::get(context, Space::Temporary, offset + own, depth, depth > 1 ? frame.bytes : 0);
}

void Layout::pack() {
  solve::PackProblem problem;
  SmallVector<Buffer *> messages = values.rings();
  for (const Buffer *message : messages) {
    int64_t size = message->depth * alignedBytes(message);
    problem.items.push_back({size, times.front().start, times.back().end});
    bytes.rings += size;
    bytes.depth = std::max(bytes.depth, message->depth);
  }
  for (const Frame &frame : frames) {
    const FrameRing &ring = rings->getFrames()[frame.number];
    SectionTimes used = usedTimes(ring);
    problem.items.push_back({ring.depth * frame.bytes, used.start, used.end});
    bytes.rings += ring.depth * frame.bytes;
    bytes.depth = std::max(bytes.depth, ring.depth);
  }
  for (const Buffer *buffer : unringed)
    problem.items.push_back(itemOf(buffer));

  solve::PackSolution offsets = solve::pack(problem);
  bytes.peak = int64_t(llvm::alignTo(solve::peakOf(problem, offsets), task::bufferAlignment));
  const int64_t *offset = offsets.begin();
  for (Buffer *message : messages)
    message->place = PlaceAttr::get(context, Space::Temporary, *offset++, message->depth,
                                    message->depth > 1 ? alignedBytes(message) : 0);
  for (const Frame &frame : frames)
    setPlaces(frame, *offset++);
  for (Buffer *buffer : unringed)
    buffer->place = PlaceAttr::get(context, Space::Temporary, *offset++);
}

/// Returns the maximum bytes live in an action of a section: frames of its own number and shared
/// buffers.
int64_t Layout::boundOf(unsigned section) const {
  solve::PackProblem problem;
  auto add = [&](const Buffer *buffer) {
    int64_t first = std::max(buffer->first, times[section].start);
    int64_t last = std::min(buffer->last, times[section].end);
    if (first <= last)
      problem.items.push_back({buffer->bytes, first, last});
  };
  for (const Buffer *buffer : unringed)
    add(buffer);
  for (const Frame &frame : frames)
    if (rings->getFrames()[frame.number].inside.contains(section))
      llvm::for_each(frame.buffers, add);
  return solve::lowerBound(problem);
}

/// Returns the bytes of frames of other numbers that are in use across this action.
int64_t Layout::waitingBytes(int64_t action) const {
  SectionAction own = rings->getActions()[action];
  int64_t sum = 0;
  for (const Frame &frame : frames) {
    const FrameRing &ring = rings->getFrames()[frame.number];
    bool isInside = ring.inside.contains(own.section);
    sum += frame.bytes * llvm::count_if(ring.intervals, [&](const UseInterval &interval) {
             return interval.first < action && action < interval.last &&
                    !(isInside && interval.number == own.number);
           });
  }
  return sum;
}

int64_t Layout::findBound() const {
  SmallVector<int64_t> ofSection;
  for (unsigned section = 0; section < times.size(); ++section)
    ofSection.push_back(boundOf(section));
  int64_t maxBytes = *llvm::max_element(ofSection);
  for (int64_t action = 0; rings && action < int64_t(rings->getActions().size()); ++action)
    maxBytes =
        std::max(maxBytes, ofSection[rings->getActions()[action].section] + waitingBytes(action));
  for (const Buffer *message : values.rings())
    maxBytes += message->depth * alignedBytes(message);
  return maxBytes;
}

LayoutBytes Layout::place() {
  for (unsigned frame = 0; rings && frame < rings->getFrames().size(); ++frame)
    addFrame(frame);
  unringed = values.temporaries();
  SmallVector<Buffer *> bySize = unringed;
  llvm::stable_sort(bySize, [](const Buffer *a, const Buffer *b) { return a->bytes > b->bytes; });
  llvm::SmallPtrSet<Buffer *, 16> inGaps;
  for (Buffer *buffer : bySize)
    if (fillGap(buffer))
      inGaps.insert(buffer);
  llvm::erase_if(unringed, [&](Buffer *buffer) { return inGaps.contains(buffer); });
  bytes.bound = findBound();
  pack();
  return bytes;
}

} // namespace pcc::schedule
