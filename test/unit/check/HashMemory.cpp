// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/check/HashMemory.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/validate/OperandRanges.h"
#include "test/unit/check/TaskList.h"

namespace pcc::test {

constexpr uint64_t word = 4; ///< bytes that share one hash

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 31);
}

uint64_t hashOf(const std::string &text) {
  uint64_t hash = text.size();
  for (char c : text)
    hash = mix(hash, uint64_t(static_cast<unsigned char>(c)));
  return hash;
}

uint64_t meaningOf(const abi::Instruction &instruction) {
  abi::Instruction alike = instruction;
  alike.clear_number();
  alike.clear_reads();
  alike.clear_reads_before();
  alike.clear_waits();
  alike.clear_behind();
  alike.clear_signals();
  alike.clear_stream();
  return hashOf(alike.SerializeAsString());
}

std::string callOf(const abi::Instruction &instruction) {
  abi::Collective call = instruction.collective();
  call.clear_source();
  call.clear_destination();
  call.clear_peer();
  call.clear_tag();
  call.clear_fused();
  if (isMessage(instruction))
    call.clear_kind();
  return call.SerializeAsString();
}

uint64_t &HashMemory::at(const abi::Operand &operand, const abi::Action &action, uint64_t index) {
  const abi::Buffer &buffer = program->memory().buffers(int(operand.buffer()));
  uint64_t begin = abi::ringOffset(buffer, abi::ringIndex(executable->batch(), action));
  std::pair<int, uint64_t> place(buffer.space(), (begin + operand.offset()) / word + index);
  auto [found, isNew] = words.try_emplace(place, 0);
  if (isNew) // before the first step: equal in every run, except for temporaries
    found->second =
        buffer.space() == abi::TEMPORARY ? (*random)() : mix(uint64_t(place.first), place.second);
  return found->second;
}

std::vector<uint64_t> HashMemory::read(const abi::Instruction &instruction,
                                       const abi::Action &action, bool isFirst) {
  std::vector<uint64_t> values;
  for (const abi::OperandRange &range : abi::operandRanges(*executable, *program, instruction)) {
    bool reads = range.reads == abi::Reads::Yes || range.reads == abi::Reads::Perhaps ||
                 (range.reads == abi::Reads::AfterFirst && !isFirst);
    for (uint64_t i = 0; reads && i * word < range.bytes; ++i)
      values.push_back(at(*range.operand, action, i));
  }
  return values;
}

void HashMemory::write(const abi::Instruction &instruction, const abi::Action &action,
                       uint64_t hash) {
  uint64_t count = 0;
  for (const abi::OperandRange &range : abi::operandRanges(*executable, *program, instruction))
    for (uint64_t i = 0; range.writes && i * word < range.bytes; ++i)
      at(*range.operand, action, i) = mix(hash, count++);
}

void HashMemory::fill(const abi::Action &action, uint64_t hash) {
  for (const abi::Input &input : program->inputs()) {
    abi::Operand whole;
    whole.set_buffer(input.buffer());
    uint64_t rows = mix(mix(hashOf(input.name()), hash), action.microbatch() * 64 + action.copy());
    for (uint64_t i = 0; i * word < program->memory().buffers(int(input.buffer())).bytes(); ++i)
      at(whole, {}, i) = mix(rows, i);
  }
}

std::vector<uint64_t> HashMemory::contentOf(uint32_t buffer) {
  abi::Operand whole;
  whole.set_buffer(buffer);
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i * word < program->memory().buffers(int(buffer)).bytes(); ++i)
    values.push_back(at(whole, {}, i));
  return values;
}

void HashMemory::forget() {
  std::erase_if(words, [](const auto &entry) { return entry.first.first == abi::TEMPORARY; });
}

} // namespace pcc::test
