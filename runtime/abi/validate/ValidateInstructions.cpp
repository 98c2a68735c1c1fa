// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks all instructions of a program. Launches, copies, fills, accumulations and numbers are
// checked here; other kinds, fused collectives and events are checked in their own files.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/validate/Checker.h"

namespace pcc::abi {
namespace {

class InstructionChecker {
public:
  InstructionChecker(Checker &checker, const Executable &executable, const Program &program,
                     RankRange ranks)
      : checker(checker), executable(executable), operands{checker, program, ranks} {}

  void check(const Instruction &instruction);

private:
  void check(const Launch &launch);
  void check(const Copy &copy);
  void check(const Fill &fill);
  void check(const Accumulate &accumulate);

  Checker &checker;
  const Executable &executable;
  const OperandChecks operands;
};

void InstructionChecker::check(const Launch &launch) {
  Checker::Scope scope(checker, "launch");
  checker.expect(launch.kernel() < static_cast<uint32_t>(executable.kernels_size()),
                 "kernel: expected an index below {}, got {}", executable.kernels_size(),
                 launch.kernel());
  checker.expect(launch.trip() >= 0 && launch.trip() <= maxExtent, "trip: out of range, got {}",
                 launch.trip());
  for (int i = 0; i < launch.operands_size(); ++i) {
    Checker::Scope operand(checker, "operands", i);
    const Operand &touched = launch.operands(i);
    checker.expect(Access_IsValid(touched.access()), "access: unknown value {}",
                   static_cast<int>(touched.access()));
    operands.room("buffer", touched, touched.bytes(), 1,
                  touched.access() == WRITE || touched.access() == READ_WRITE);
  }
  for (int i = 0; i < launch.scalars_size(); ++i) {
    Checker::Scope scalar(checker, "scalars", i);
    checkExpression(checker, launch.scalars(i).expression(), executable.mesh());
    checker.expect(Scalar::ActionValue_IsValid(launch.scalars(i).action_value()),
                   "action_value: unknown value {}",
                   static_cast<int>(launch.scalars(i).action_value()));
  }
}

void InstructionChecker::check(const Copy &copy) {
  Checker::Scope scope(checker, "copy");
  operands.room("source", copy.source(), copy.bytes(), 1, false);
  operands.room("destination", copy.destination(), copy.bytes(), 1, true);
  operands.overlap(copy.source(), copy.bytes(), copy.destination(), copy.bytes(), false);
}

void InstructionChecker::check(const Fill &fill) {
  Checker::Scope scope(checker, "fill");
  operands.room("destination", fill.destination(), fill.bytes(), 1, true);
}

void InstructionChecker::check(const Accumulate &accumulate) {
  Checker::Scope scope(checker, "accumulate");
  ElementType type = accumulate.source_type();
  checker.expect(isFloat(type), "source_type: expected a floating-point type, got {}",
                 elementName(type));
  checker.expect(accumulate.count() >= 0 && accumulate.count() <= maxExtent,
                 "count: out of range, got {}", accumulate.count());
  checker.expect(Accumulation_IsValid(accumulate.accumulation()), "accumulation: unknown value {}",
                 static_cast<int>(accumulate.accumulation()));
  if (!checker.ok())
    return;
  uint64_t bytes = accumulate.count() * elementBytes(type),
           sumElement = elementBytes(accumulatorType(type)),
           sumBytes = accumulate.count() * sumElement;
  operands.room("source", accumulate.source(), bytes, elementBytes(type), false);
  operands.room("destination", accumulate.destination(), sumBytes, sumElement, true);
  operands.overlap(accumulate.source(), bytes, accumulate.destination(), sumBytes, false);
}

void InstructionChecker::check(const Instruction &instruction) {
  checker.expect(StreamKind_IsValid(instruction.stream()), "stream: unknown value {}",
                 static_cast<int>(instruction.stream()));
  switch (instruction.kind_case()) {
  case Instruction::kLaunch:
    return check(instruction.launch());
  case Instruction::kMatmul:
    return checkMatmul(operands, instruction.matmul());
  case Instruction::kAttention:
    return checkAttention(operands, instruction.attention());
  case Instruction::kConvolution:
    return checkConvolution(operands, instruction.convolution());
  case Instruction::kCollective:
    return checkCollective(operands, executable, instruction.collective());
  case Instruction::kCopy:
    return check(instruction.copy());
  case Instruction::kFill:
    return check(instruction.fill());
  case Instruction::kAccumulate:
    return check(instruction.accumulate());
  case Instruction::KIND_NOT_SET:
    checker.expect(false, "expected a kind of instruction");
  }
}

/// Checks that all instructions have unique numbers, or none has a number.
void checkNumbers(Checker &checker, const Program &program) {
  std::set<uint32_t> numbers;
  bool isStated = hasDataflow(program);
  for (int s = 0; s < program.sections_size(); ++s) {
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).instructions_size(); ++r) {
      Checker::Scope instruction(checker, "instructions", r);
      uint32_t number = program.sections(s).instructions(r).number();
      checker.expect((number != 0) == isStated,
                     "number: expected one of every instruction, or of none");
      checker.expect(number == 0 || numbers.insert(number).second,
                     "number: {} is that of another instruction", number);
    }
  }
}

} // namespace

bool hasDataflow(const Program &program) {
  for (const Section &section : program.sections())
    if (section.instructions_size() > 0)
      return section.instructions(0).number() != 0;
  return false;
}

void checkInstructions(Checker &checker, const Executable &executable, const Program &program,
                       RankRange ranks) {
  InstructionChecker instructions(checker, executable, program, ranks);
  for (int s = 0; s < program.sections_size(); ++s) {
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).instructions_size(); ++r) {
      Checker::Scope instruction(checker, "instructions", r);
      instructions.check(program.sections(s).instructions(r));
    }
  }
  if (checker.ok())
    checkNumbers(checker, program);
  if (checker.ok())
    checkFused(checker, executable, program);
  if (checker.ok())
    checkEvents(checker, executable, program);
}

} // namespace pcc::abi
