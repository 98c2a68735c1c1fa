// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of records: operands in their buffers, sizes that fit the kind, events in order.

#include "runtime/abi/Checker.h"
#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/Executable.h"
#include "runtime/abi/RankExpression.h"

namespace pcc::abi {
namespace {

constexpr int64_t maxExtent = int64_t(1) << 40;

class RecordChecker {
public:
  RecordChecker(Checker &checker, const Executable &executable, const Program &program)
      : checker(checker), executable(executable), program(program) {}

  void check(const Record &record);

private:
  void check(const Launch &launch);
  void check(const Matmul &matmul);
  void check(const Collective &collective);
  void check(const Copy &copy);
  void check(const Fill &fill);
  void check(const Accumulate &accumulate);

  void checkSizes(const Collective &collective);
  void checkAxis(uint32_t axis, int rank, const char *name);
  void checkRoot(const Collective &collective);
  void checkPeer(const Collective &collective);
  void checkPairs(const Collective &collective);
  void checkMoves(const Collective &collective);

  /// Checks that `operand` has room for `bytes` and, if it is written, may be.
  void checkOperand(const char *name, const Operand &operand, uint64_t bytes, uint64_t alignment,
                    bool written);
  /// Checks that two valid operands are the same range (if allowed) or do not overlap.
  void checkOverlap(const Operand &a, uint64_t aBytes, const Operand &b, uint64_t bBytes,
                    bool mayBeSame);
  int64_t ranks() const { return rankCount(executable.mesh()); }
  int64_t groupSize(const Collective &collective) const {
    return executable.groups(collective.group()).lists(0).ranks_size();
  }

  Checker &checker;
  const Executable &executable;
  const Program &program;
};

void RecordChecker::checkOperand(const char *name, const Operand &operand, uint64_t bytes,
                                 uint64_t alignment, bool written) {
  Checker::Scope scope(checker, name);
  if (!checkBufferIndex(checker, program, operand.buffer()))
    return;
  const Buffer &buffer = program.memory().buffers(operand.buffer());
  checker.expect(operand.offset() <= buffer.bytes() && bytes <= buffer.bytes() - operand.offset(),
                 "expected {} bytes from {} on within the {} bytes of '{}'", bytes,
                 operand.offset(), buffer.bytes(), buffer.name());
  checker.expect(operand.offset() % alignment == 0, "expected an offset that {} divides, got {}",
                 alignment, operand.offset());
  checker.expect(!written || buffer.space() == PERSISTENT || buffer.space() == TEMPORARY,
                 "expected a buffer that may be written, got '{}' in the space {}", buffer.name(),
                 Space_Name(buffer.space()));
}

void RecordChecker::checkOverlap(const Operand &a, uint64_t aBytes, const Operand &b,
                                 uint64_t bBytes, bool mayBeSame) {
  if (!checker.ok() || aBytes == 0 || bBytes == 0)
    return;
  const Buffer &aBuffer = program.memory().buffers(a.buffer());
  const Buffer &bBuffer = program.memory().buffers(b.buffer());
  if (aBuffer.space() != bBuffer.space())
    return;
  uint64_t aBegin = aBuffer.offset() + a.offset(), bBegin = bBuffer.offset() + b.offset();
  bool apart = aBegin + aBytes <= bBegin || bBegin + bBytes <= aBegin;
  checker.expect(apart || (mayBeSame && aBegin == bBegin && aBytes == bBytes),
                 "'{}' and '{}' overlap", aBuffer.name(), bBuffer.name());
}

void RecordChecker::check(const Launch &launch) {
  Checker::Scope scope(checker, "launch");
  checker.expect(launch.kernel() < static_cast<uint32_t>(executable.kernels_size()),
                 "kernel: expected an index below {}, got {}", executable.kernels_size(),
                 launch.kernel());
  checker.expect(launch.trip() >= 0 && launch.trip() <= maxExtent, "trip: out of range, got {}",
                 launch.trip());
  for (int i = 0; i < launch.operands_size(); ++i) {
    Checker::Scope operand(checker, "operands", i);
    checkOperand("buffer", launch.operands(i), 0, 1, false);
  }
  for (int i = 0; i < launch.scalars_size(); ++i) {
    Checker::Scope scalar(checker, "scalars", i);
    checkExpression(checker, launch.scalars(i).expression(), executable.mesh());
    checker.expect(Scalar::SlotValue_IsValid(launch.scalars(i).slot_value()),
                   "slot_value: unknown value {}",
                   static_cast<int>(launch.scalars(i).slot_value()));
  }
}

void RecordChecker::check(const Matmul &matmul) {
  Checker::Scope scope(checker, "matmul");
  auto inRange = [](int64_t extent) { return extent >= 1 && extent < (int64_t(1) << 31); };
  if (!checker.expect(inRange(matmul.batch()) && inRange(matmul.m()) && inRange(matmul.n()) &&
                          inRange(matmul.k()),
                      "expected extents from 1 on, got batch {}, m {}, n {}, k {}", matmul.batch(),
                      matmul.m(), matmul.n(), matmul.k()))
    return;
  auto isFloat = [](ElementType type) { return type == F32 || type == F16 || type == BF16; };
  checker.expect(isFloat(matmul.type()) && isFloat(matmul.result_type()),
                 "expected floating-point types, got {} and {}", elementName(matmul.type()),
                 elementName(matmul.result_type()));
  checker.expect(Accumulation_IsValid(matmul.accumulation()) &&
                     Matmul::Activation_IsValid(matmul.activation()),
                 "accumulation, activation: unknown value");
  std::optional<int64_t> a =
      elementCount(std::initializer_list<int64_t>{matmul.batch(), matmul.m(), matmul.k()});
  std::optional<int64_t> b = elementCount(std::initializer_list<int64_t>{
      matmul.shared_b() ? 1 : matmul.batch(), matmul.k(), matmul.n()});
  std::optional<int64_t> c =
      elementCount(std::initializer_list<int64_t>{matmul.batch(), matmul.m(), matmul.n()});
  if (!checker.expect(a && b && c, "expected operands of at most 2^62 elements") || !checker.ok())
    return;
  uint64_t bytes = elementBytes(matmul.type()), resultBytes = elementBytes(matmul.result_type());
  auto saturated = [](int64_t count, uint64_t size) {
    return count > maxExtent ? ~uint64_t(0) : count * size;
  };
  checkOperand("a", matmul.a(), saturated(*a, bytes), bytes, false);
  checkOperand("b", matmul.b(), saturated(*b, bytes), bytes, false);
  checkOperand("c", matmul.c(), saturated(*c, resultBytes), resultBytes, true);
  if (matmul.has_bias())
    checkOperand("bias", matmul.bias(), matmul.n() * resultBytes, resultBytes, false);
  checkOverlap(matmul.a(), saturated(*a, bytes), matmul.c(), saturated(*c, resultBytes), false);
  checkOverlap(matmul.b(), saturated(*b, bytes), matmul.c(), saturated(*c, resultBytes), false);
}

void RecordChecker::check(const Collective &collective) {
  Checker::Scope scope(checker, "collective");
  if (!checker.expect(CollectiveKind_IsValid(collective.kind()) &&
                          collective.kind() != COLLECTIVE_KIND_UNSPECIFIED,
                      "kind: expected a kind, got {}", static_cast<int>(collective.kind())))
    return;
  bool pointToPoint = collective.kind() == SEND || collective.kind() == RECV;
  if (!pointToPoint &&
      !checker.expect(collective.group() < static_cast<uint32_t>(executable.groups_size()),
                      "group: expected an index below {}, got {}", executable.groups_size(),
                      collective.group()))
    return;
  if (collective.kind() == BARRIER)
    return;
  bool reduces = collective.kind() == ALL_REDUCE || collective.kind() == REDUCE_SCATTER ||
                 collective.kind() == REDUCE;
  checker.expect(ReduceOp_IsValid(collective.reduction()) &&
                     (!reduces || collective.reduction() != REDUCE_OP_UNSPECIFIED),
                 "reduction: expected one, got {}", static_cast<int>(collective.reduction()));
  if (!checker.expect(elementBytes(collective.type()) > 0, "type: expected an element type, got {}",
                      static_cast<int>(collective.type())))
    return;
  std::optional<int64_t> count = elementCount(collective.shape());
  if (!checker.expect(count && *count <= maxExtent,
                      "shape: expected extents whose product is a size"))
    return;
  checkSizes(collective);
}

void RecordChecker::checkSizes(const Collective &collective) {
  uint64_t element = elementBytes(collective.type());
  uint64_t bytes = *elementCount(collective.shape()) * element, target = bytes;
  int rank = collective.shape_size();
  bool receives = collective.kind() != SEND, sends = collective.kind() != RECV;
  switch (collective.kind()) {
  case ALL_GATHER:
    checkAxis(collective.axis(), rank, "axis");
    target = bytes * groupSize(collective);
    break;
  case ALL_TO_ALL:
    checkAxis(collective.concat_axis(), rank, "concat_axis");
    [[fallthrough]];
  case REDUCE_SCATTER:
    checkAxis(collective.axis(), rank, "axis");
    if (!checker.ok())
      return;
    checker.expect(collective.shape(collective.axis()) % groupSize(collective) == 0,
                   "axis: expected an extent that {} divides, got {}", groupSize(collective),
                   collective.shape(collective.axis()));
    target = collective.kind() == REDUCE_SCATTER ? bytes / groupSize(collective) : bytes;
    break;
  case BROADCAST:
  case REDUCE:
    checkRoot(collective);
    break;
  case COLLECTIVE_PERMUTE:
    checkPairs(collective);
    break;
  case SEND:
  case RECV:
    checkPeer(collective);
    break;
  case BLOCK_EXCHANGE:
    checkMoves(collective);
    if (checker.ok())
      target = *elementCount(collective.target_shape()) * element;
    break;
  default:
    break;
  }
  if (!checker.ok())
    return;
  if (sends)
    checkOperand("source", collective.source(), bytes, element, false);
  if (receives)
    checkOperand("destination", collective.destination(), target, element, true);
  // Members read each other's sources while destinations are written, so only kinds that work
  // element by element may reuse the source.
  bool mayBeSame = collective.kind() == ALL_REDUCE || collective.kind() == REDUCE ||
                   collective.kind() == BROADCAST;
  if (sends && receives)
    checkOverlap(collective.source(), bytes, collective.destination(), target, mayBeSame);
}

void RecordChecker::checkAxis(uint32_t axis, int rank, const char *name) {
  checker.expect(axis < static_cast<uint32_t>(rank), "{}: expected an axis below {}, got {}", name,
                 rank, axis);
}

void RecordChecker::checkRoot(const Collective &collective) {
  Checker::Scope scope(checker, "root");
  if (!checkExpression(checker, collective.root(), executable.mesh()))
    return;
  const RankGroup &group = executable.groups(collective.group());
  for (const RankList &list : group.lists()) {
    int64_t root = evaluate(collective.root(), executable.mesh(), list.ranks(0));
    for (uint32_t rank : list.ranks()) {
      int64_t own = evaluate(collective.root(), executable.mesh(), rank);
      checker.expect(own == root, "rank {}: expected {} as in the rest of its group, got {}", rank,
                     root, own);
    }
    checker.expect(root >= 0 && root < list.ranks_size(), "expected a position below {}, got {}",
                   list.ranks_size(), root);
  }
}

void RecordChecker::checkPeer(const Collective &collective) {
  Checker::Scope scope(checker, "peer");
  if (!checkExpression(checker, collective.peer(), executable.mesh()))
    return;
  for (int64_t rank = 0; rank < ranks(); ++rank) {
    int64_t peer = evaluate(collective.peer(), executable.mesh(), rank);
    checker.expect(peer < ranks() && peer != rank,
                   "rank {}: expected another rank below {}, got {}", rank, ranks(), peer);
  }
}

void RecordChecker::checkPairs(const Collective &collective) {
  std::vector<bool> isTarget(ranks(), false);
  const RankGroup &group = executable.groups(collective.group());
  for (int i = 0; i < collective.pairs_size(); ++i) {
    Checker::Scope scope(checker, "pairs", i);
    const RankPair &pair = collective.pairs(i);
    if (!checker.expect(pair.source() < ranks() && pair.target() < ranks(),
                        "expected ranks below {}, got {} and {}", ranks(), pair.source(),
                        pair.target()))
      return;
    checker.expect(&listOf(group, pair.source()) == &listOf(group, pair.target()),
                   "ranks {} and {} are in different groups", pair.source(), pair.target());
    checker.expect(!isTarget[pair.target()], "rank {} is the target of two pairs", pair.target());
    isTarget[pair.target()] = true;
  }
}

void RecordChecker::checkMoves(const Collective &collective) {
  std::optional<int64_t> count = elementCount(collective.target_shape());
  if (!checker.expect(count && *count <= maxExtent,
                      "target_shape: expected extents whose product is a size"))
    return;
  const RankGroup &group = executable.groups(collective.group());
  int rank = collective.shape_size();
  checker.expect(collective.target_shape_size() == rank,
                 "target_shape: expected {} extents, got {}", rank, collective.target_shape_size());
  for (int i = 0; i < collective.moves_size() && checker.ok(); ++i) {
    Checker::Scope scope(checker, "moves", i);
    const BlockMove &move = collective.moves(i);
    if (!checker.expect(move.source() < ranks() && move.target() < ranks(),
                        "expected ranks below {}, got {} and {}", ranks(), move.source(),
                        move.target()) ||
        !checker.expect(&listOf(group, move.source()) == &listOf(group, move.target()),
                        "ranks {} and {} are in different groups", move.source(), move.target()) ||
        !checker.expect(move.source_start_size() == rank && move.size_size() == rank &&
                            move.target_start_size() == rank,
                        "expected {} starts and sizes", rank))
      return;
    for (int d = 0; d < rank; ++d) {
      auto inside = [&](int64_t start, int64_t extent) {
        return start >= 0 && move.size(d) >= 0 && move.size(d) <= extent &&
               start <= extent - move.size(d);
      };
      checker.expect(inside(move.source_start(d), collective.shape(d)) &&
                         inside(move.target_start(d), collective.target_shape(d)),
                     "dimension {}: the box leaves the tensor", d);
    }
  }
}

void RecordChecker::check(const Copy &copy) {
  Checker::Scope scope(checker, "copy");
  checkOperand("source", copy.source(), copy.bytes(), 1, false);
  checkOperand("destination", copy.destination(), copy.bytes(), 1, true);
  checkOverlap(copy.source(), copy.bytes(), copy.destination(), copy.bytes(), false);
}

void RecordChecker::check(const Fill &fill) {
  Checker::Scope scope(checker, "fill");
  checkOperand("destination", fill.destination(), fill.bytes(), 1, true);
}

void RecordChecker::check(const Accumulate &accumulate) {
  Checker::Scope scope(checker, "accumulate");
  ElementType type = accumulate.source_type();
  checker.expect(type == F32 || type == F16 || type == BF16,
                 "source_type: expected a floating-point type, got {}", elementName(type));
  checker.expect(accumulate.count() >= 0 && accumulate.count() <= maxExtent,
                 "count: out of range, got {}", accumulate.count());
  checker.expect(Accumulation_IsValid(accumulate.accumulation()), "accumulation: unknown value {}",
                 static_cast<int>(accumulate.accumulation()));
  if (!checker.ok())
    return;
  uint64_t bytes = accumulate.count() * elementBytes(type), sumBytes = accumulate.count() * 4;
  checkOperand("source", accumulate.source(), bytes, elementBytes(type), false);
  checkOperand("destination", accumulate.destination(), sumBytes, 4, true);
  checkOverlap(accumulate.source(), bytes, accumulate.destination(), sumBytes, false);
}

void RecordChecker::check(const Record &record) {
  checker.expect(Lane_IsValid(record.lane()), "lane: unknown value {}",
                 static_cast<int>(record.lane()));
  switch (record.kind_case()) {
  case Record::kLaunch:
    return check(record.launch());
  case Record::kMatmul:
    return check(record.matmul());
  case Record::kCollective:
    return check(record.collective());
  case Record::kCopy:
    return check(record.copy());
  case Record::kFill:
    return check(record.fill());
  case Record::kAccumulate:
    return check(record.accumulate());
  case Record::KIND_NOT_SET:
    checker.expect(false, "expected a kind of record");
  }
}

/// Checks that each event is signalled by at most one record.
void checkSignals(Checker &checker, const Program &program) {
  constexpr uint32_t maxEvents = 1u << 20;
  if (!checker.expect(program.events() <= maxEvents, "events: expected at most {}, got {}",
                      maxEvents, program.events()))
    return;
  std::vector<bool> signalled(program.events(), false);
  for (int s = 0; s < program.sections_size(); ++s) {
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).records_size(); ++r) {
      Checker::Scope record(checker, "records", r);
      for (uint32_t event : program.sections(s).records(r).signals()) {
        if (!checker.expect(event < program.events(), "signals: expected an event below {}, got {}",
                            program.events(), event))
          return;
        checker.expect(!signalled[event], "signals: event {} has another signaller", event);
        signalled[event] = true;
      }
    }
  }
}

/// Checks that the waits of a section find their events signalled, and adds the section's own.
void checkWaits(Checker &checker, const Program &program, int s, std::vector<bool> &signalled) {
  Checker::Scope section(checker, "sections", s);
  for (int r = 0; r < program.sections(s).records_size() && checker.ok(); ++r) {
    Checker::Scope scope(checker, "records", r);
    const Record &record = program.sections(s).records(r);
    for (uint32_t event : record.waits())
      checker.expect(event < program.events() && signalled[event],
                     "waits: event {} is not signalled before", event);
    for (uint32_t event : record.signals())
      signalled[event] = true;
  }
}

/// Checks the order of events in a step, and in the sections that no slot runs, which start on
/// their own.
void checkEventOrder(Checker &checker, const Program &program) {
  std::vector<bool> signalled(program.events(), false), inStep(program.sections_size(), false);
  for (const Slot &slot : program.slots()) {
    if (!inStep[slot.section()])
      checkWaits(checker, program, slot.section(), signalled);
    inStep[slot.section()] = true;
  }
  for (int s = 0; s < program.sections_size(); ++s) {
    std::vector<bool> alone(program.events(), false);
    if (!inStep[s])
      checkWaits(checker, program, s, alone);
  }
}

} // namespace

void checkRecords(Checker &checker, const Executable &executable, const Program &program) {
  RecordChecker records(checker, executable, program);
  for (int s = 0; s < program.sections_size(); ++s) {
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).records_size(); ++r) {
      Checker::Scope record(checker, "records", r);
      records.check(program.sections(s).records(r));
    }
  }
  if (checker.ok())
    checkSignals(checker, program);
  if (checker.ok())
    checkEventOrder(checker, program);
}

} // namespace pcc::abi
