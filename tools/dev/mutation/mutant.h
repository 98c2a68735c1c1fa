// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions of the mutants that tools/dev/mutate inserts into a copy of the sources. One build
// contains all mutants. PCC_MUTANT=N activates number N. With PCC_MUTANT_REACHED=FILE, a process
// that reaches mutant N sets byte N of the file.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PCC_MUTANT(n) ::pcc_mutant::isActive(n)

// Mutants may leave parentheses, comparisons and variables that the warnings are about.
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wduplicated-branches"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

namespace pcc_mutant {

constexpr int count = PCC_MUTANT_COUNT;

struct State {
  int active = 0;
  unsigned char *reached = nullptr;

  State() {
    if (const char *number = std::getenv("PCC_MUTANT"))
      active = std::atoi(number);
    const char *path = std::getenv("PCC_MUTANT_REACHED");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
      return;
    void *memory = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED)
      reached = static_cast<unsigned char *>(memory);
    close(file);
  }
};

inline bool isActive(int number) {
  static State state;
  if (state.reached)
    state.reached[number] = 1;
  return number == state.active;
}

} // namespace pcc_mutant
