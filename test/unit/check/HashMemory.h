// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's memory with a hash for every word. Instructions read and write hashes instead of
// numbers.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace pcc::test {

uint64_t mix(uint64_t hash, uint64_t value);
uint64_t hashOf(const std::string &text);

/// Hashes an instruction's computation: all fields except its place in a list and the fields that
/// exist only for checks.
uint64_t meaningOf(const abi::Instruction &instruction);

/// Prints the fields that must agree on all ranks of a collective or message, except for fusion.
std::string callOf(const abi::Instruction &instruction);

class HashMemory {
public:
  /// The initial hashes of temporaries come from `random`. All three arguments must outlive the
  /// object.
  HashMemory(const abi::Executable &executable, const abi::Program &program,
             std::mt19937_64 &random)
      : executable(&executable), program(&program), random(&random) {}

  /// Returns the hashes that an instruction reads in an action. `isFirst`: first action of the
  /// section.
  std::vector<uint64_t> read(const abi::Instruction &instruction, const abi::Action &action,
                             bool isFirst);
  /// Writes hashes derived from `hash` to the destinations of the instruction.
  void write(const abi::Instruction &instruction, const abi::Action &action, uint64_t hash);
  /// Writes the rows of an action to the inputs.
  void fill(const abi::Action &action, uint64_t hash);
  std::vector<uint64_t> contentOf(uint32_t buffer);
  /// Makes temporaries hold other hashes.
  void forget();

private:
  uint64_t &at(const abi::Operand &operand, const abi::Action &action, uint64_t index);

  const abi::Executable *executable;
  const abi::Program *program;
  std::mt19937_64 *random;
  std::map<std::pair<int, uint64_t>, uint64_t> words; ///< by space and place
};

} // namespace pcc::test
