// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's memory with a hash for every word, and the hashes of what is done to it.

#ifndef PCC_TEST_UNIT_CHECK_HASHMEMORY_H
#define PCC_TEST_UNIT_CHECK_HASHMEMORY_H

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace pcc::test {

uint64_t mix(uint64_t hash, uint64_t value);
uint64_t hashOf(const std::string &text);

/// What an instruction computes: all that it says but where it lies in a list, and what it is
/// checked by.
uint64_t meaningOf(const abi::Instruction &instruction);

/// What all ranks that a collective or message joins must say alike, but for what it is fused with.
std::string callOf(const abi::Instruction &instruction);

class HashMemory {
public:
  /// What temporaries hold at first comes from `random`, which must outlive it, as the others must.
  HashMemory(const abi::Executable &executable, const abi::Program &program,
             std::mt19937_64 &random)
      : executable(&executable), program(&program), random(&random) {}

  /// What an instruction reads in an action; `isFirst`: the first of its section.
  std::vector<uint64_t> read(const abi::Instruction &instruction, const abi::Action &action,
                             bool isFirst);
  /// Writes hashes made of `hash` to what it writes.
  void write(const abi::Instruction &instruction, const abi::Action &action, uint64_t hash);
  /// Brings the rows of an action to the inputs.
  void fill(const abi::Action &action, uint64_t hash);
  std::vector<uint64_t> contentOf(uint32_t buffer);
  /// Temporaries hold something else.
  void forget();

private:
  uint64_t &at(const abi::Operand &operand, const abi::Action &action, uint64_t index);

  const abi::Executable *executable;
  const abi::Program *program;
  std::mt19937_64 *random;
  std::map<std::pair<int, uint64_t>, uint64_t> words; ///< by space and place
};

} // namespace pcc::test

#endif // PCC_TEST_UNIT_CHECK_HASHMEMORY_H
