// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the touched byte ranges by their first byte and sweeps over them. A range conflicts if one
// before it reaches past its begin and either of them writes. So the sweep only stores how far all
// ranges, and the written ones, reach.
//
// An action uses the entry number mod depth of each ring. In rings of equal depth and stride that
// is the same entry, so it suffices to compare the first entries. Rings of other shapes may be at
// any two entries, so the ranges over all entries are compared.

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/validate/OperandRanges.h"

#include <algorithm>
#include <map>

namespace pcc::abi {
namespace {

/// Number of entries (depth) and distance between them in bytes (stride) of a ring. A buffer that
/// is no ring has depth 1 and stride 0.
using RingShape = std::pair<uint64_t, uint64_t>;

/// A range of bytes that an instruction touches.
struct Touched {
  size_t instruction;
  Space space;
  RingShape ring;
  uint64_t begin, end; ///< within the first entry of the ring
  uint64_t lastEnd;    ///< end within the last entry of the ring
  bool writes;

  bool isSameRangeAs(const Touched &other) const {
    return std::tie(space, ring, begin, end) ==
           std::tie(other.space, other.ring, other.begin, other.end);
  }
};

Touched touchedBy(size_t instruction, const OperandRange &range, const Program &program) {
  const Buffer &buffer = program.memory().buffers(int(range.operand->buffer()));
  uint64_t depth = ringDepth(buffer), begin = buffer.offset() + range.operand->offset();
  return {.instruction = instruction,
          .space = buffer.space(),
          .ring = {depth, depth == 1 ? 0 : buffer.ring().stride()},
          .begin = begin,
          .end = begin + range.bytes,
          .lastEnd = begin + range.bytes + ringBytes(buffer) - buffer.bytes(),
          .writes = range.writes};
}

/// Lists the touched ranges by their first byte. An operand that is also the result appears once.
std::vector<Touched> touchedBy(const Executable &executable, const Program &program,
                               std::span<const Instruction *const> instructions) {
  std::vector<Touched> all;
  for (size_t r = 0; r < instructions.size(); ++r) {
    size_t first = all.size();
    for (const OperandRange &range : operandRanges(executable, program, *instructions[r])) {
      Touched next = touchedBy(r, range, program);
      auto same = std::find_if(all.begin() + long(first), all.end(),
                               [&](const Touched &other) { return other.isSameRangeAs(next); });
      if (same == all.end())
        all.push_back(next);
      else
        same->writes |= next.writes;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Touched &a, const Touched &b) {
    return std::tie(a.space, a.begin) < std::tie(b.space, b.begin);
  });
  return all;
}

/// Tracks how far the ranges before the current one reach.
class Reach {
public:
  void add(const Touched &touched) {
    uint64_t &end = endOf[touched.ring];
    end = std::max(end, touched.end);
    if (touched.ring == farthestRing) {
      farthest = std::max(farthest, touched.lastEnd);
    } else if (touched.lastEnd > farthest) {
      farthestOfOthers = farthest;
      farthest = touched.lastEnd;
      farthestRing = touched.ring;
    } else {
      farthestOfOthers = std::max(farthestOfOthers, touched.lastEnd);
    }
  }

  bool overlaps(const Touched &touched) const {
    auto sameShape = endOf.find(touched.ring);
    uint64_t sameShapeEnd = sameShape == endOf.end() ? 0 : sameShape->second;
    uint64_t otherShapesEnd = touched.ring == farthestRing ? farthestOfOthers : farthest;
    return touched.begin < otherShapesEnd || touched.begin < sameShapeEnd;
  }

private:
  std::map<RingShape, uint64_t> endOf; ///< greatest end within the first entry, by shape
  /// The greatest end of a last entry, and the greatest one among rings of another shape than
  /// `farthestRing`.
  uint64_t farthest = 0, farthestOfOthers = 0;
  RingShape farthestRing;
};

} // namespace

std::optional<size_t> findConflict(const Executable &executable, const Program &program,
                                   std::span<const Instruction *const> instructions) {
  std::vector<Touched> touched = touchedBy(executable, program, instructions);
  Reach all, written;
  for (size_t t = 0; t < touched.size(); ++t) {
    if (t > 0 && touched[t].space != touched[t - 1].space)
      all = written = {};
    if ((touched[t].writes ? all : written).overlaps(touched[t]))
      return touched[t].instruction;
    all.add(touched[t]);
    if (touched[t].writes)
      written.add(touched[t]);
  }
  return std::nullopt;
}

} // namespace pcc::abi
