// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the first byte and the end of every touched range and ring entry as cuts. Sorted cuts
// number the pieces; a binary search then finds the pieces of each range.

#include "runtime/check/dataflow/ByteMap.h"

#include "runtime/abi/program/BufferRings.h"

#include <algorithm>

namespace pcc::check {
namespace {

/// A byte position; positions of all spaces are totally ordered.
struct BytePosition {
  abi::Space space;
  uint64_t offset;
  auto operator<=>(const BytePosition &) const = default;
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
  auto positionOf = [&](const Touch &touch, uint64_t entry, uint64_t more) {
    const abi::Buffer &buffer = memory.buffers(int(touch.buffer));
    return BytePosition{buffer.space(), abi::ringOffset(buffer, entry) + touch.offset + more};
  };
  std::vector<BytePosition> cuts;
  for (const Touch *touch : touches)
    for (uint64_t entry = 0; entry < touch->pieces.size(); ++entry) {
      cuts.push_back(positionOf(*touch, entry, 0));
      cuts.push_back(positionOf(*touch, entry, touch->bytes));
    }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  auto numberOf = [&](const BytePosition &position) {
    return uint32_t(std::lower_bound(cuts.begin(), cuts.end(), position) - cuts.begin());
  };
  for (Touch *touch : touches)
    for (uint64_t entry = 0; entry < touch->pieces.size(); ++entry)
      touch->pieces[entry] = {numberOf(positionOf(*touch, entry, 0)),
                              numberOf(positionOf(*touch, entry, touch->bytes))};
  for (const BytePosition &position : cuts) {
    spaces.push_back(position.space);
    offsets.push_back(position.offset);
  }
}

} // namespace pcc::check
