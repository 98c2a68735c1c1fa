// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of an executable: mesh, groups, memory plan, actions. Tables, instructions and collectives
// have files of their own. After these checks, later code relies on every index and size.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/Limits.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/abi/validate/Checker.h"

#include <cmath>
#include <map>

namespace pcc::abi {
namespace {

constexpr uint64_t maxSpaceBytes = uint64_t(1) << 46;

void checkMesh(Checker &checker, const Mesh &mesh) {
  int64_t ranks = 1;
  std::set<std::string> names;
  for (int i = 0; i < mesh.axes_size(); ++i) {
    Checker::Scope scope(checker, "mesh.axes", i);
    checkName(checker, names, mesh.axes(i).name());
    int64_t size = mesh.axes(i).size();
    if (!checker.expect(size >= 1 && size <= maxRanks, "expected a size from 1 to {}, got {}",
                        maxRanks, size))
      return;
    ranks *= size;
    if (!checker.expect(ranks <= maxRanks, "expected at most {} ranks in all", maxRanks))
      return;
  }
}

void checkGroup(Checker &checker, const RankGroups &group, int64_t ranks) {
  std::vector<bool> seen(ranks, false);
  int64_t total = 0;
  for (int i = 0; i < group.lists_size(); ++i) {
    Checker::Scope scope(checker, "lists", i);
    int length = group.lists(i).ranks_size();
    checker.expect(length > 0 && length == group.lists(0).ranks_size(), "expected {} ranks, got {}",
                   group.lists(0).ranks_size(), length);
    for (uint32_t rank : group.lists(i).ranks()) {
      if (!checker.expect(rank < ranks, "expected ranks below {}, got {}", ranks, rank))
        return;
      checker.expect(!seen[rank], "rank {} is in two lists", rank);
      seen[rank] = true;
      ++total;
    }
  }
  checker.expect(total == ranks, "expected all {} ranks, got {}", ranks, total);
}

uint64_t spaceBytes(const Executable &executable, const MemoryPlan &memory, Space space) {
  switch (space) {
  case PERSISTENT:
    return memory.persistent_bytes();
  case TEMPORARY:
    return memory.temporary_bytes();
  case INPUT:
    return memory.input_bytes();
  case CONSTANT:
    return constantBytes(executable);
  default:
    return 0;
  }
}

/// Checks the ring of a buffer whose first entry lies in its space.
void checkRing(Checker &checker, const Buffer &buffer, uint64_t space) {
  Checker::Scope scope(checker, "ring");
  const Ring &ring = buffer.ring();
  checker.expect(buffer.space() == PERSISTENT || buffer.space() == TEMPORARY,
                 "expected one in PERSISTENT or TEMPORARY, got {}", Space_Name(buffer.space()));
  if (!checker.expect(ring.depth() >= 1, "depth: expected at least 1, got 0") ||
      !checker.expect(ring.stride() % bufferAlignment == 0 && ring.stride() >= buffer.bytes() &&
                          ring.stride() <= maxSpaceBytes,
                      "stride: expected a multiple of {} from {} on, got {}", bufferAlignment,
                      buffer.bytes(), ring.stride()) ||
      !checker.ok())
    return;
  uint64_t room = space - buffer.offset() - buffer.bytes();
  checker.expect(ring.stride() == 0 || ring.depth() - 1 <= room / ring.stride(),
                 "expected {} entries {} bytes apart within the {} bytes of their space",
                 ring.depth(), ring.stride(), space);
}

void checkBuffer(Checker &checker, const Executable &executable, const MemoryPlan &memory,
                 const Buffer &buffer) {
  if (!checker.expect(Space_IsValid(buffer.space()) && buffer.space() != SPACE_UNSPECIFIED,
                      "space: expected a space, got {}", static_cast<int>(buffer.space())) ||
      !checker.expect(elementBytes(buffer.type()) > 0, "type: expected an element type, got {}",
                      static_cast<int>(buffer.type())))
    return;
  std::optional<int64_t> count = elementCount(buffer.shape());
  if (!checker.expect(count.has_value(), "shape: expected extents whose product is a size"))
    return;
  uint64_t space = spaceBytes(executable, memory, buffer.space());
  checker.expect(buffer.offset() % bufferAlignment == 0,
                 "offset: expected a multiple of {}, got {}", bufferAlignment, buffer.offset());
  checker.expect(buffer.offset() <= space && buffer.bytes() <= space - buffer.offset(),
                 "expected offset {} and {} bytes within the {} bytes of its space",
                 buffer.offset(), buffer.bytes(), space);
  if (buffer.has_ring())
    checkRing(checker, buffer, space);
  checker.expect(uint64_t(*count) <= maxSpaceBytes &&
                     buffer.bytes() == uint64_t(*count) * elementBytes(buffer.type()),
                 "bytes: expected {} elements of {}, got {} bytes", *count,
                 elementName(buffer.type()), buffer.bytes());
}

void checkMemory(Checker &checker, const Executable &executable, const MemoryPlan &memory) {
  Checker::Scope scope(checker, "memory");
  checker.expect(memory.persistent_bytes() <= maxSpaceBytes &&
                     memory.temporary_bytes() <= maxSpaceBytes &&
                     memory.input_bytes() <= maxSpaceBytes,
                 "expected spaces of at most {} bytes", maxSpaceBytes);
  for (int i = 0; i < memory.buffers_size(); ++i) {
    Checker::Scope buffer(checker, "buffers", i);
    checkBuffer(checker, executable, memory, memory.buffers(i));
  }
}

/// Checks that a section for the last run of another section runs once, after it.
void checkLastRun(Checker &checker, const Program &program, uint32_t section) {
  uint32_t last = program.sections(int(section)).last_of();
  if (last == 0)
    return;
  bool isFree = last <= section && program.sections(int(last - 1)).last_of() == 0;
  for (uint32_t before = 0; before < section; ++before)
    isFree &= program.sections(int(before)).last_of() != last;
  if (!checker.expect(isFree, "last_of: expected a section before it, of its own, got {}", last))
    return;
  int runs = 0;
  bool isBehind = true;
  for (const Action &action : program.actions()) {
    runs += action.section() == section;
    isBehind &= runs == 0 || action.section() != last - 1;
  }
  checker.expect(runs == 1 && isBehind, "last_of: expected one action, behind those of '{}'",
                 program.sections(int(last - 1)).name());
}

void checkActions(Checker &checker, const Executable &executable, const Program &program) {
  std::set<std::string> names;
  for (int i = 0; i < program.sections_size(); ++i) {
    Checker::Scope scope(checker, "sections", i);
    checkName(checker, names, program.sections(i).name());
    checkLastRun(checker, program, uint32_t(i));
  }
  for (int i = 0; i < program.actions_size(); ++i) {
    Checker::Scope scope(checker, "actions", i);
    const Action &action = program.actions(i);
    checker.expect(action.section() < static_cast<uint32_t>(program.sections_size()),
                   "section: expected an index below {}, got {}", program.sections_size(),
                   action.section());
    uint32_t copies = executable.batch().together() ? 1 : executable.batch().copies();
    checker.expect(action.microbatch() < executable.batch().micro_batches() &&
                       action.copy() < copies,
                   "expected a microbatch below {} and a copy below {}, got {} and {}",
                   executable.batch().micro_batches(), copies, action.microbatch(), action.copy());
  }
}

/// Checks that the number of rows of a whole batch does not overflow.
void checkBatchRows(Checker &checker, const Executable &executable, const Program &program) {
  if (program.inputs().empty() || !takesRows(program))
    return;
  std::optional<int64_t> rows = elementCount(std::initializer_list<int64_t>{
      program.inputs(0).block().global_shape(0), executable.batch().micro_batches(),
      executable.batch().copies()});
  checker.expect(isSize(rows), "inputs: expected a number of rows in a batch, got {}·{}·{}",
                 program.inputs(0).block().global_shape(0), executable.batch().micro_batches(),
                 executable.batch().copies());
}

void checkStepBuffer(Checker &checker, const Program &program) {
  Checker::Scope scope(checker, "step_buffer");
  if (!program.has_step_buffer() || !checkBufferIndex(checker, program, program.step_buffer()))
    return;
  const Buffer &buffer = program.memory().buffers(program.step_buffer());
  checker.expect(buffer.space() == PERSISTENT && buffer.type() == I64 && buffer.bytes() == 8,
                 "expected one persistent i64");
  checker.expect(!buffer.has_ring(), "expected one copy, got a ring");
}

void checkProgram(Checker &checker, const Executable &executable, int index) {
  Checker::Scope scope(checker, "programs", index);
  const Program &program = executable.programs(index);
  checker.expect(program.same_as() == 0 && !program.has_own_parts(),
                 "same_as: expected none but in a file, got {}", program.same_as());
  RankRange ranks = ranksOfProgram(executable, index);
  checkMemory(checker, executable, program.memory());
  if (!checker.ok())
    return;
  checkTables(checker, executable, program, ranks);
  if (!checker.ok())
    return;
  checkBatchRows(checker, executable, program);
  checkActions(checker, executable, program);
  checkStepBuffer(checker, program);
  if (checker.ok())
    checkInstructions(checker, executable, program, ranks);
}

/// Checks that objects of one name in several programs are the same.
void checkShared(Checker &checker, const Executable &executable) {
  std::map<std::string, std::string> parameters, inputs;
  auto isSame = [](auto &seen, const std::string &name, Block block) {
    block.clear_local_shape();
    block.clear_offsets();
    std::string text = block.SerializeAsString();
    return seen.try_emplace(name, text).first->second == text;
  };
  const Block *first = nullptr;
  for (int p = 0; p < executable.programs_size(); ++p) {
    Checker::Scope scope(checker, "programs", p);
    for (const Parameter &parameter : executable.programs(p).parameters())
      checker.expect(isSame(parameters, parameter.name(), parameter.block()),
                     "parameter '{}': another program has it with another type or shape",
                     parameter.name());
    for (const Input &input : executable.programs(p).inputs()) {
      checker.expect(isSame(inputs, input.name(), input.block()),
                     "input '{}': another program has it with another type or shape", input.name());
      if (!takesRows(executable.programs(p)))
        continue;
      first = first ? first : &input.block();
      checker.expect(input.block().global_shape(0) == first->global_shape(0),
                     "input '{}': expected {} rows as in other programs, got {}", input.name(),
                     first->global_shape(0), input.block().global_shape(0));
    }
  }
}

void checkModelFlops(Checker &checker, const Executable &executable) {
  auto isAmount = [](double value) { return std::isfinite(value) && value >= 0; };
  std::set<ElementType> types;
  for (int i = 0; i < executable.model_flops_size(); ++i) {
    Checker::Scope scope(checker, "model_flops", i);
    const ModelFlops &entry = executable.model_flops(i);
    checker.expect(elementBytes(entry.type()) > 0, "type: expected an element type, got {}",
                   static_cast<int>(entry.type()));
    checker.expect(types.insert(entry.type()).second, "type: {} is given twice",
                   elementName(entry.type()));
    checker.expect(isAmount(entry.flops()), "flops: expected a number from 0 on, got {}",
                   entry.flops());
  }
  checker.expect(isAmount(executable.peak_seconds()),
                 "peak_seconds: expected a number from 0 on, got {}", executable.peak_seconds());
}

} // namespace

void checkName(Checker &checker, std::set<std::string> &names, const std::string &name) {
  checker.expect(!name.empty(), "expected a name");
  checker.expect(names.insert(name).second, "the name '{}' is given twice", name);
}

bool checkExpression(Checker &checker, const RankExpression &expression, const Mesh &mesh) {
  constexpr int64_t maxStride = int64_t(1) << 44, maxConstant = int64_t(1) << 60;
  auto bounded = [](int64_t value, int64_t limit) { return value >= -limit && value <= limit; };
  if (expression.table_size() > 0) {
    checker.expect(expression.table_size() == rankCount(mesh),
                   "expected a table of {} entries, got {}", rankCount(mesh),
                   expression.table_size());
    return checker.expect(expression.terms_size() == 0 && expression.constant() == 0,
                          "expected a table or terms, got both") &&
           checker.ok();
  }
  checker.expect(bounded(expression.constant(), maxConstant), "constant: out of range");
  checker.expect(expression.terms_size() <= mesh.axes_size(), "expected at most {} terms, got {}",
                 mesh.axes_size(), expression.terms_size());
  for (const RankExpression::Term &term : expression.terms())
    checker.expect(term.axis() < static_cast<uint32_t>(mesh.axes_size()) &&
                       bounded(term.stride(), maxStride),
                   "expected an axis below {} and a stride in range, got {} and {}",
                   mesh.axes_size(), term.axis(), term.stride());
  return checker.ok();
}

bool checkBufferIndex(Checker &checker, const Program &program, uint32_t buffer) {
  return checker.expect(buffer < static_cast<uint32_t>(program.memory().buffers_size()),
                        "expected a buffer below {}, got {}", program.memory().buffers_size(),
                        buffer);
}

/// Limit of every GPU.
static constexpr uint32_t maxThreadsPerBlock = 1024;

Status validate(const Executable &executable, bool hasCode) {
  Checker checker;
  checkMesh(checker, executable.mesh());
  if (!checker.ok())
    return checker.status();
  for (int i = 0; i < executable.groups_size(); ++i) {
    Checker::Scope scope(checker, "groups", i);
    checkGroup(checker, executable.groups(i), rankCount(executable.mesh()));
  }
  for (int i = 0; i < executable.kernels_size(); ++i) {
    Checker::Scope scope(checker, "kernels", i);
    const Kernel &kernel = executable.kernels(i);
    checker.expect(!kernel.symbol().empty(), "symbol: expected a name");
    checker.expect(!hasCode || (kernel.threads() > 0) == executable.has_gpu_code(),
                   "threads: expected {}, got {}",
                   executable.has_gpu_code() ? "those of a block" : "none on the host",
                   kernel.threads());
    checker.expect(kernel.threads() <= maxThreadsPerBlock, "threads: expected {} at most, got {}",
                   maxThreadsPerBlock, kernel.threads());
  }
  const GpuCode &gpu = executable.gpu_code();
  bool isThere = executable.has_gpu_code() ? !gpu.ptx().empty() || !gpu.cubin().empty()
                                           : !executable.object().elf().empty();
  checker.expect(!hasCode || executable.kernels_size() == 0 || isThere,
                 "{}: expected code for {} kernels",
                 executable.has_gpu_code() ? "gpu_code" : "object", executable.kernels_size());
  const BatchPlan &batch = executable.batch();
  checker.expect(batch.micro_batches() >= 1 && batch.copies() >= 1 && batch.data_ranks() >= 1,
                 "batch: expected counts from 1 on, got {}, {}, {}", batch.micro_batches(),
                 batch.copies(), batch.data_ranks());
  int64_t ranks = rankCount(executable.mesh());
  checker.expect(executable.programs_size() >= 1 && executable.programs_size() <= ranks &&
                     ranks % executable.programs_size() == 0,
                 "programs: expected a number that divides the {} ranks, got {}", ranks,
                 executable.programs_size());
  for (int p = 0; p < executable.programs_size() && checker.ok(); ++p)
    checkProgram(checker, executable, p);
  if (checker.ok())
    checkShared(checker, executable);
  checkModelFlops(checker, executable);
  return checker.status();
}

} // namespace pcc::abi
