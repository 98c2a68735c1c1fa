// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of fused collectives.

#include "runtime/abi/validate/Checker.h"
#include "runtime/abi/validate/OperandRanges.h"

namespace pcc::abi {
namespace {

bool mayShare(CollectiveKind kind) {
  return kind == ALL_REDUCE || kind == ALL_GATHER || kind == REDUCE_SCATTER;
}

/// Whether two collectives could be fused, apart from their bytes.
bool areAlike(const Instruction &a, const Instruction &b) {
  const Collective &x = a.collective(), &y = b.collective();
  return a.has_collective() && a.stream() == b.stream() && x.kind() == y.kind() &&
         x.group() == y.group() && x.type() == y.type() && x.reduction() == y.reduction();
}

/// Checks an instruction that is fused with the one before it.
void checkMember(Checker &checker, const Instruction &before, const Instruction &instruction) {
  Checker::Scope scope(checker, "collective.fused");
  checker.expect(mayShare(instruction.collective().kind()),
                 "expected an all-reduce, all-gather or reduce-scatter");
  checker.expect(areAlike(before, instruction),
                 "expected a collective of the same kind, stream, group, type and reduction before "
                 "it");
  checker.expect(instruction.waits_size() == 0,
                 "expected no waits but those of the first of the message");
}

class FusedChecker {
public:
  FusedChecker(Checker &checker, const Executable &executable, const Program &program)
      : checker(checker), executable(executable), program(program) {}

  void check(const Section &section) {
    static const Instruction none;
    const auto &instructions = section.instructions();
    for (int r = 0; r < instructions.size(); ++r) {
      Checker::Scope instruction(checker, "instructions", r);
      if (instructions[r].collective().fused())
        checkMember(checker, r == 0 ? none : instructions[r - 1], instructions[r]);
    }
    for (int first = 0, end = 0; first < instructions.size() && checker.ok(); first = end) {
      for (end = first + 1; end < instructions.size() && instructions[end].collective().fused();)
        ++end;
      if (end - first > 1)
        checkBytes(section, first, end);
    }
  }

private:
  /// Checks the bytes of the fused collective of the instructions first … end-1.
  void checkBytes(const Section &section, int first, int end) {
    std::vector<const Instruction *> message;
    for (int r = first; r < end; ++r)
      message.push_back(&section.instructions(r));
    std::optional<size_t> conflict = findConflict(executable, program, message);
    Checker::Scope instruction(checker, "instructions", first + int(conflict.value_or(0)));
    Checker::Scope field(checker, "collective.fused");
    checker.expect(!conflict, "expected bytes that no other of the message touches");
  }

  Checker &checker;
  const Executable &executable;
  const Program &program;
};

} // namespace

void checkFused(Checker &checker, const Executable &executable, const Program &program) {
  FusedChecker fused(checker, executable, program);
  for (int s = 0; s < program.sections_size() && checker.ok(); ++s) {
    Checker::Scope section(checker, "sections", s);
    fused.check(program.sections(s));
  }
}

} // namespace pcc::abi
