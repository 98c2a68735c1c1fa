// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases that break one field of a valid program and expect the message that names it.
#pragma once

#include "runtime/abi/files/Executable.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace pcc::test {

using abi::Executable;
using abi::Instruction;
using abi::Program;

struct Break {
  const char *name;
  std::function<void(Executable &)> change;
  const char *message;
};

inline void PrintTo(const Break &test, std::ostream *out) { *out << test.name; }

inline Program &program(Executable &executable) { return *executable.mutable_programs(0); }
inline abi::MemoryPlan &memory(Executable &executable) {
  return *program(executable).mutable_memory();
}
inline Instruction &instruction(Executable &executable, int section, int index) {
  return *program(executable).mutable_sections(section)->mutable_instructions(index);
}

/// Breaks a program of three layers on two ranks, and compares the error.
inline void expectError(const Break &test) {
  Executable executable = makeMlp({.ranks = 2, .batch = 4, .widths = {6, 5, 3}});
  ASSERT_EQ(abi::validate(executable).message(), "");
  test.change(executable);
  EXPECT_EQ(abi::validate(executable).message(), test.message);
}

} // namespace pcc::test
