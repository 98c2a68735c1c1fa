// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of collectives that go in one message.

#include "runtime/abi/Checker.h"
#include "runtime/abi/OperandRanges.h"

#include <algorithm>

namespace pcc::abi {
namespace {

bool mayShare(CollectiveKind kind) {
  return kind == ALL_REDUCE || kind == ALL_GATHER || kind == REDUCE_SCATTER;
}

/// Whether a message has room for both but for their bytes.
bool areAlike(const Record &a, const Record &b) {
  const Collective &x = a.collective(), &y = b.collective();
  return a.has_collective() && a.lane() == b.lane() && x.kind() == y.kind() &&
         x.group() == y.group() && x.type() == y.type() && x.reduction() == y.reduction();
}

class FusedChecker {
public:
  FusedChecker(Checker &checker, const Executable &executable, const Program &program)
      : checker(checker), executable(executable), program(program) {}

  /// Checks the next record of a section.
  void check(const Record &record) {
    if (record.collective().fused())
      checkMember(record);
    else
      message.clear();
    message.push_back(&record);
  }

private:
  void checkMember(const Record &record) {
    Checker::Scope scope(checker, "collective.fused");
    if (!checker.expect(mayShare(record.collective().kind()),
                        "expected an all-reduce, all-gather or reduce-scatter") ||
        !checker.expect(!message.empty() && areAlike(*message.back(), record),
                        "expected a collective of the same kind, lane, group, type and reduction "
                        "before it") ||
        !checker.expect(record.waits_size() == 0,
                        "expected no waits but those of the first of the message"))
      return;
    bool conflicts = std::any_of(message.begin(), message.end(), [&](const Record *other) {
      return mayConflict(executable, program, *other, record);
    });
    checker.expect(!conflicts, "expected bytes that no other of the message touches");
  }

  Checker &checker;
  const Executable &executable;
  const Program &program;
  std::vector<const Record *> message; ///< up to the record before
};

} // namespace

void checkFused(Checker &checker, const Executable &executable, const Program &program) {
  for (int s = 0; s < program.sections_size() && checker.ok(); ++s) {
    Checker::Scope section(checker, "sections", s);
    FusedChecker fused(checker, executable, program);
    for (int r = 0; r < program.sections(s).records_size() && checker.ok(); ++r) {
      Checker::Scope record(checker, "records", r);
      fused.check(program.sections(s).records(r));
    }
  }
}

} // namespace pcc::abi
