// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the first byte and the end of every touched range and ring entry as cuts. Sorted cuts
// number the pieces; a binary search then finds the pieces of each range.

#include "runtime/check/ByteMap.h"

#include "runtime/abi/BufferRings.h"

#include <algorithm>

namespace pcc::check {
namespace {

/// A byte position; positions of all spaces are totally ordered.
struct Place {
  abi::Space space;
  uint64_t offset;
  auto operator<=>(const Place &) const = default;
};

} // namespace

ByteMap::ByteMap(const ProgramIndex &index) : memory(index.program.memory()) {
  for (const abi::Instruction *instruction : index.instructions)
    for (std::vector<Touch> &list = ofInstruction.emplace_back();
         const abi::OperandRange &range :
         operandRanges(index.executable, index.program, *instruction))
      addTouch(*range.operand, range.bytes, range.reads, range.writes, list);
  for (int b = 0; b < memory.buffers_size(); ++b) {
    std::vector<Touch> list;
    abi::Operand whole;
    whole.set_buffer(uint32_t(b));
    addTouch(whole, memory.buffers(b).bytes(), abi::Reads::Yes, false, list);
    ofBuffer.push_back(list.empty() ? Touch{.buffer = uint32_t(b), .pieces = {{}}} : list.front());
  }
  cut();
}

void ByteMap::addTouch(const abi::Operand &operand, uint64_t bytes, abi::Reads reads, bool writes,
                       std::vector<Touch> &list) {
  const abi::Buffer &buffer = memory.buffers(int(operand.buffer()));
  if (bytes == 0 || buffer.space() == abi::CONSTANT)
    return;
  list.push_back({operand.buffer(), reads, writes, operand.offset(), bytes,
                  std::vector<Pieces>(abi::ringDepth(buffer))});
}

void ByteMap::cut() {
  std::vector<Touch *> touches;
  for (std::vector<Touch> &list : ofInstruction)
    for (Touch &touch : list)
      touches.push_back(&touch);
  for (Touch &touch : ofBuffer)
    if (touch.bytes > 0)
      touches.push_back(&touch);
  auto placeOf = [&](const Touch &touch, uint64_t copy, uint64_t more) {
    const abi::Buffer &buffer = memory.buffers(int(touch.buffer));
    return Place{buffer.space(), abi::ringOffset(buffer, copy) + touch.offset + more};
  };
  std::vector<Place> cuts;
  for (const Touch *touch : touches)
    for (uint64_t copy = 0; copy < touch->pieces.size(); ++copy) {
      cuts.push_back(placeOf(*touch, copy, 0));
      cuts.push_back(placeOf(*touch, copy, touch->bytes));
    }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  auto numberOf = [&](const Place &place) {
    return uint32_t(std::lower_bound(cuts.begin(), cuts.end(), place) - cuts.begin());
  };
  for (Touch *touch : touches)
    for (uint64_t copy = 0; copy < touch->pieces.size(); ++copy)
      touch->pieces[copy] = {numberOf(placeOf(*touch, copy, 0)),
                             numberOf(placeOf(*touch, copy, touch->bytes))};
  for (const Place &place : cuts) {
    spaces.push_back(place.space);
    offsets.push_back(place.offset);
  }
}

} // namespace pcc::check
