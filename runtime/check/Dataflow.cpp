// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/Dataflow.h"

#include "runtime/abi/Executable.h"
#include "runtime/abi/LastRuns.h"
#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Stages.h"
#include "runtime/check/Names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pcc::check {
namespace {

/// A run of an instruction that accessed memory.
struct Run {
  uint32_t record = 0;
  Moment moment = {};
  abi::Slot slot = {};
  /// Index of the touched range, and its first byte within the space.
  uint32_t operand = 0;
  uint64_t begin = 0;
};

/// The last writer of a piece.
enum class Origin : uint8_t { Nothing, BeforeRun, Data, Record };

struct Piece {
  Origin origin = Origin::Nothing;
  /// Whether the writer belongs to an earlier step.
  bool isBefore = false;
  Run writer;
  /// The last reading run of each clock.
  std::vector<Run> readers;
};

/// Encodes that a reader's operand, which begins at `begin`, reads a writer's result
/// (Record.reads).
uint64_t makeSource(uint32_t number, uint32_t operand, uint64_t begin, const Run &writer) {
  uint64_t way = (begin - writer.begin) * 0x9e3779b97f4a7c15u + operand * 0x10001u + writer.operand;
  way = (way ^ (way >> 32)) * 0xbf58476d1ce4e5b9u;
  return (way >> 32) << 32 | number;
}

class Follower {
public:
  Follower(const ProgramIndex &index, const ByteMap &bytes, const Arrivals *arrivals,
           const Episode &episode, bool checks, DataflowFound &found)
      : index(index), bytes(bytes), episode(episode), slots(episode.slots[index.number]),
        checks(checks), isStated(statesDataflow(index.program)), order(index, arrivals),
        pieces(bytes.size()), runsOf(index.program.sections_size(), 0), runsWith(runsOf),
        found(found) {}

  abi::Status run();

private:
  void startStep(bool isFirst);
  abi::Status runStep();
  abi::Status enterSlot();
  abi::Status runRecord(uint32_t record, bool isFirst);
  abi::Status read(const Run &own, const Touch &touch);
  abi::Status write(const Run &own, const Touch &touch);
  abi::Status readPiece(const Run &own, const Touch &touch, const Piece &piece);
  abi::Status checkSource(const Run &own, const Touch &touch, const Piece &piece);
  uint64_t sourceOf(const Run &reader, const Run &writer) const {
    return makeSource(index.records[writer.record]->number(), reader.operand, reader.begin, writer);
  }
  uint64_t beginOf(const Touch &touch) const;

  abi::Status fill(const Touch &touch);
  void show(uint32_t section);
  abi::Status race(const Run &other, const Touch &touch, const char *does, const char *did) const;
  abi::Status error(const std::string &text) const;
  bool readsInput(uint32_t section) const;
  bool isRepeated(uint32_t section) const {
    return runsWith[abi::wholeSection(index.program, section)] > 1;
  }
  std::string nameOf(uint32_t record, const abi::Slot &slot) const {
    return check::nameOf(index.program, *index.records[record], slot);
  }
  std::string nameOf(const Touch &touch) const {
    return index.program.memory().buffers(int(touch.buffer)).name();
  }
  Pieces piecesOf(const Touch &touch) const {
    return touch.of(episode.isStep ? abi::ringIndex(index.executable.batch(), slot) : 0);
  }

  const ProgramIndex &index;
  const ByteMap &bytes;
  const Episode &episode;
  const std::vector<abi::Slot> &slots;
  const bool checks, isStated;
  HappensBefore order;
  std::vector<Piece> pieces;
  abi::Slot slot;
  /// The action whose inputs were loaded last.
  std::optional<abi::Slot> loaded;
  /// By section: its actions in the episode, without and with the section for its last run.
  std::vector<uint32_t> runsOf, runsWith;
  DataflowFound &found;
};

abi::Status Follower::error(const std::string &text) const {
  abi::RankRange ranks = abi::ranksOfProgram(index.executable, index.number);
  return abi::Status::badInput(
      ranks.end - ranks.first == 1
          ? fmt::format("rank {}: {}", ranks.first, text)
          : fmt::format("ranks {} to {}: {}", ranks.first, ranks.end - 1, text));
}

abi::Status Follower::race(const Run &other, const Touch &touch, const char *does,
                           const char *did) const {
  return error(fmt::format("{} {} '{}', which {} {}, and nothing orders them; expected an event "
                           "between them",
                           nameOf(order.record(), slot), does, nameOf(touch),
                           nameOf(other.record, other.slot), did));
}

void Follower::startStep(bool isFirst) {
  order.finish();
  loaded.reset();
  for (uint32_t p = 0; p < pieces.size(); ++p) {
    Piece &piece = pieces[p];
    piece.readers.clear();
    piece.writer.moment = {};
    if (bytes.spaceOf(p) != abi::PERSISTENT)
      piece.origin = Origin::Nothing;
    else if (isFirst)
      piece.origin = Origin::BeforeRun;
    piece.isBefore = true;
  }
}

abi::Status Follower::run() {
  for (const abi::Slot &slot : slots) {
    ++runsOf[slot.section()];
    ++runsWith[abi::wholeSection(index.program, slot.section())];
  }
  for (int step = 0; step < (episode.isStep ? 2 : 1); ++step) {
    startStep(step == 0);
    if (abi::Status status = runStep(); !status.ok())
      return status;
  }
  for (int i = 0; episode.isStep && i < index.program.parameters_size(); ++i) {
    const Touch &whole = bytes.buffer(index.program.parameters(i).buffer());
    Run reader{.begin = beginOf(whole)};
    for (uint32_t p = whole.of(0).first; p < whole.of(0).end; ++p)
      if (pieces[p].origin == Origin::Record && !pieces[p].isBefore)
        found.ofParameter[i].insert(sourceOf(reader, pieces[p].writer));
  }
  return {};
}

abi::Status Follower::runStep() {
  std::vector<uint32_t> left = runsOf;
  for (const abi::Slot &next : slots) {
    slot = next;
    if (abi::Status status = enterSlot(); !status.ok())
      return status;
    bool isFirst = left[slot.section()] == runsOf[slot.section()];
    for (uint32_t r = index.firstOf[slot.section()]; r < index.firstOf[slot.section() + 1]; ++r)
      if (abi::Status status = runRecord(r, isFirst); !status.ok())
        return status;
    if (--left[slot.section()] == 0)
      show(slot.section());
  }
  return {};
}

bool Follower::readsInput(uint32_t section) const {
  for (uint32_t r = index.firstOf[section]; r < index.firstOf[section + 1]; ++r)
    for (const Touch &touch : bytes.touchesOf(r))
      if (touch.reads != abi::Reads::No &&
          index.program.memory().buffers(int(touch.buffer)).space() == abi::INPUT)
        return true;
  return false;
}

/// Writes the input data and the step number, as the rank's thread does before an action.
abi::Status Follower::enterSlot() {
  order.enterSlot(slot);
  abi::Status status;
  if (index.program.has_step_buffer())
    status = fill(bytes.buffer(index.program.step_buffer()));
  if (!readsInput(slot.section()))
    return status;
  bool isThere =
      loaded && loaded->microbatch() == slot.microbatch() && loaded->copy() == slot.copy();
  loaded = slot;
  if (isThere)
    return status;
  for (const abi::Input &input : index.program.inputs()) {
    if (status.ok())
      status = fill(bytes.buffer(input.buffer()));
    for (uint32_t buffer : input.copy_buffers())
      if (status.ok())
        status = fill(bytes.buffer(buffer));
  }
  return status;
}

abi::Status Follower::fill(const Touch &touch) {
  Pieces range = touch.of(0);
  for (uint32_t p = range.first; p < range.end; ++p) {
    for (const Run &reader : pieces[p].readers)
      if (checks && !order.isDone(reader.moment))
        return error(
            fmt::format("the data of {}[{},{}] come into '{}', which {} reads, and nothing "
                        "orders them; expected a record of COMPUTE that waits for it",
                        index.program.sections(int(slot.section())).name(), slot.microbatch(),
                        slot.copy(), nameOf(touch), nameOf(reader.record, reader.slot)));
    pieces[p].readers.clear();
    pieces[p].origin = Origin::Data;
  }
  return {};
}

abi::Status Follower::runRecord(uint32_t record, bool isFirst) {
  order.enter(record);
  const std::vector<Touch> &touches = bytes.touchesOf(record);
  abi::Status status;
  auto isRead = [&](const Touch &touch) {
    return touch.reads == abi::Reads::Yes || touch.reads == abi::Reads::Perhaps ||
           (touch.reads == abi::Reads::AfterFirst && !isFirst);
  };
  auto runOf = [&](size_t operand) {
    return Run{record, order.moment(), slot, uint32_t(operand), beginOf(touches[operand])};
  };
  for (size_t i = 0; i < touches.size() && status.ok(); ++i)
    if (isRead(touches[i]))
      status = read(runOf(i), touches[i]);
  for (size_t i = 0; i < touches.size() && status.ok(); ++i)
    if (touches[i].writes)
      status = write(runOf(i), touches[i]);
  order.leave();
  return status;
}

uint64_t Follower::beginOf(const Touch &touch) const {
  const abi::Buffer &buffer = index.program.memory().buffers(int(touch.buffer));
  uint64_t turn = episode.isStep ? abi::ringIndex(index.executable.batch(), slot) : 0;
  return abi::ringOffset(buffer, turn) + touch.offset;
}

abi::Status Follower::read(const Run &own, const Touch &touch) {
  Pieces range = piecesOf(touch);
  for (uint32_t p = range.first; p < range.end; ++p) {
    Piece &piece = pieces[p];
    if (abi::Status status = readPiece(own, touch, piece); !status.ok())
      return status;
    auto same = std::find_if(piece.readers.begin(), piece.readers.end(), [&](const Run &reader) {
      return reader.moment.clock == own.moment.clock;
    });
    if (same == piece.readers.end())
      piece.readers.push_back(own);
    else
      *same = own;
  }
  return {};
}

abi::Status Follower::readPiece(const Run &own, const Touch &touch, const Piece &piece) {
  bool isSure = touch.reads != abi::Reads::Perhaps;
  if (piece.origin == Origin::Nothing && isSure && checks)
    return error(fmt::format("{} reads '{}', of which not every byte was written; expected a "
                             "record before it that writes them",
                             nameOf(own.record, slot), nameOf(touch)));
  if (piece.origin != Origin::Record)
    return {};
  if (checks && !order.isDone(piece.writer.moment))
    return race(piece.writer, touch, "reads", "writes");
  Sources &sources = found.ofRecord[own.record];
  (piece.isBefore ? sources.before : sources.inStep).insert(sourceOf(own, piece.writer));
  return checks && isSure ? checkSource(own, touch, piece) : abi::Status();
}

abi::Status Follower::checkSource(const Run &own, const Touch &touch, const Piece &piece) {
  const Run &writer = piece.writer;
  bool isOther = slot.microbatch() != writer.slot.microbatch() || slot.copy() != writer.slot.copy();
  abi::Space space = index.program.memory().buffers(int(touch.buffer)).space();
  if (isOther && space == abi::TEMPORARY && isRepeated(slot.section()) &&
      isRepeated(writer.slot.section()))
    return error(fmt::format("{} reads '{}' as {} left it for another microbatch; expected a ring "
                             "of more copies, or another order of slots",
                             nameOf(own.record, slot), nameOf(touch),
                             nameOf(writer.record, writer.slot)));
  if (!isStated)
    return {};
  const abi::Record &reader = *index.records[own.record];
  const auto &stated = piece.isBefore ? reader.reads_before() : reader.reads();
  if (std::binary_search(stated.begin(), stated.end(), sourceOf(own, writer)))
    return {};
  return error(fmt::format("{} reads '{}' as {}{} left it, which is not what it is to read",
                           nameOf(own.record, slot), nameOf(touch),
                           nameOf(writer.record, writer.slot),
                           piece.isBefore ? " of the step before" : ""));
}

abi::Status Follower::write(const Run &own, const Touch &touch) {
  Pieces range = piecesOf(touch);
  auto isSelf = [&](const Run &run) {
    return run.moment.clock == own.moment.clock && run.moment.count == own.moment.count;
  };
  for (uint32_t p = range.first; p < range.end; ++p) {
    Piece &piece = pieces[p];
    for (const Run &reader : piece.readers)
      if (checks && !isSelf(reader) && !order.isDoneBeforeWrite(reader.moment))
        return race(reader, touch, "writes", "reads");
    if (checks && piece.origin == Origin::Record && !isSelf(piece.writer) &&
        !order.isDoneBeforeWrite(piece.writer.moment))
      return race(piece.writer, touch, "writes", "writes");
    piece.readers.clear();
    piece.origin = Origin::Record;
    piece.isBefore = false;
    piece.writer = own;
  }
  return {};
}

/// Reads the results of a section after its last run; the rank's thread waits for their writers.
void Follower::show(uint32_t section) {
  order.enterThread();
  for (int i = 0; i < index.program.results_size(); ++i) {
    const abi::Result &result = index.program.results(i);
    if (result.section() != section)
      continue;
    const Touch &whole = bytes.buffer(result.buffer());
    Pieces range = piecesOf(whole);
    Run reader{.begin = beginOf(whole)};
    for (uint32_t p = range.first; p < range.end; ++p)
      if (pieces[p].origin == Origin::Record) {
        order.waitFor(pieces[p].writer.moment);
        found.ofResult[i].insert(sourceOf(reader, pieces[p].writer));
      }
  }
}

} // namespace

abi::Status followData(const ProgramIndex &index, const ByteMap &bytes, const Arrivals *arrivals,
                       const Episode &episode, DataflowFound &found) {
  return Follower(index, bytes, arrivals, episode, /*checks=*/true, found).run();
}

void followDataOnly(const ProgramIndex &index, const ByteMap &bytes, const Episode &episode,
                    DataflowFound &found) {
  (void)Follower(index, bytes, nullptr, episode, /*checks=*/false, found).run();
}

DataflowFound emptyDataflow(const ProgramIndex &index) {
  DataflowFound found;
  found.ofRecord.resize(index.records.size());
  found.ofResult.resize(index.program.results_size());
  found.ofParameter.resize(index.program.parameters_size());
  return found;
}

} // namespace pcc::check
