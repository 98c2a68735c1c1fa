// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the instructions in list order. HappensBefore tells which runs are done; `pieces` holds the
// last accesses to each piece of memory. Without checks, the same run only collects sources, for
// programs that do not state them yet (AnnotateDataflow.cpp).

#include "runtime/check/dataflow/Dataflow.h"

#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/BaseSection.h"
#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/program/Names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pcc::check {
namespace {

/// A run of an instruction that accessed memory.
struct Run {
  uint32_t instruction = 0;
  Timestamp timestamp = {};
  abi::Action action = {};
  /// Index of the touched range, and its first byte within the space.
  uint32_t operand = 0;
  uint64_t begin = 0;
};

/// The kind of a piece's last writer. BeforeRun: the initial content of PERSISTENT. Data: the
/// rank's thread, which loads inputs and the step number.
enum class Origin : uint8_t { Nothing, BeforeRun, Data, Instruction };

struct Piece {
  Origin origin = Origin::Nothing;
  /// Whether the writer belongs to an earlier step.
  bool isBefore = false;
  Run writer;
  /// The last reading run of each clock.
  std::vector<Run> readers;
};

/// Encodes that a reader's operand, which begins at `begin`, reads a writer's result
/// (Instruction.reads).
uint64_t makeSource(uint32_t number, uint32_t operand, uint64_t begin, const Run &writer) {
  uint64_t route =
      (begin - writer.begin) * 0x9e3779b97f4a7c15u + operand * 0x10001u + writer.operand;
  route = (route ^ (route >> 32)) * 0xbf58476d1ce4e5b9u;
  return (route >> 32) << 32 | number;
}

class DataflowChecker {
public:
  DataflowChecker(const ProgramIndex &index, const ByteMap &bytes, const Arrivals *arrivals,
                  const Execution &execution, bool checks, ObservedDataflow &found)
      : index(index), bytes(bytes), execution(execution), actions(execution.actions[index.number]),
        checks(checks), isStated(hasDataflow(index.program)), order(index, arrivals),
        pieces(bytes.size()), runsOf(index.program.sections_size(), 0), runsWith(runsOf),
        found(found) {}

  abi::Status run();

private:
  void startStep(bool isFirst);
  abi::Status runStep();
  abi::Status enterAction();
  abi::Status runInstruction(uint32_t instruction, bool isFirst);
  abi::Status read(const Run &own, const Touch &touch);
  abi::Status write(const Run &own, const Touch &touch);
  abi::Status readPiece(const Run &own, const Touch &touch, const Piece &piece);
  abi::Status checkSource(const Run &own, const Touch &touch, const Piece &piece);
  uint64_t sourceOf(const Run &reader, const Run &writer) const {
    return makeSource(index.instructions[writer.instruction]->number(), reader.operand,
                      reader.begin, writer);
  }
  uint64_t beginOf(const Touch &touch) const;

  abi::Status loadData(const Touch &touch);
  void readResults(uint32_t section);
  abi::Status race(const Run &other, const Touch &touch, const char *does, const char *did) const;
  abi::Status error(const std::string &text) const;
  bool readsInput(uint32_t section) const;
  bool isRepeated(uint32_t section) const {
    return runsWith[abi::baseSection(index.program, section)] > 1;
  }
  std::string nameOf(uint32_t instruction, const abi::Action &action) const {
    return check::nameOf(index.program, *index.instructions[instruction], action);
  }
  std::string nameOf(const Touch &touch) const {
    return index.program.memory().buffers(int(touch.buffer)).name();
  }
  Pieces piecesOf(const Touch &touch) const {
    return touch.of(execution.isStep ? abi::ringIndex(index.executable.batch(), action) : 0);
  }

  const ProgramIndex &index;
  const ByteMap &bytes;
  const Execution &execution;
  const std::vector<abi::Action> &actions;
  const bool checks, isStated;
  HappensBefore order;
  std::vector<Piece> pieces;
  abi::Action action;
  /// The action whose inputs were loaded last.
  std::optional<abi::Action> loaded;
  /// By section: number of its actions in the execution, without and with those of the section that
  /// replaces its last run.
  std::vector<uint32_t> runsOf, runsWith;
  ObservedDataflow &found;
};

abi::Status DataflowChecker::error(const std::string &text) const {
  abi::RankRange ranks = abi::ranksOfProgram(index.executable, index.number);
  return abi::Status::badInput(
      ranks.end - ranks.first == 1
          ? fmt::format("rank {}: {}", ranks.first, text)
          : fmt::format("ranks {} to {}: {}", ranks.first, ranks.end - 1, text));
}

abi::Status DataflowChecker::race(const Run &other, const Touch &touch, const char *does,
                                  const char *did) const {
  return error(fmt::format("{} {} '{}', which {} {}, and nothing orders them; expected an event "
                           "between them",
                           nameOf(order.instruction(), action), does, nameOf(touch),
                           nameOf(other.instruction, other.action), did));
}

void DataflowChecker::startStep(bool isFirst) {
  order.finish();
  loaded.reset();
  for (uint32_t p = 0; p < pieces.size(); ++p) {
    Piece &piece = pieces[p];
    piece.readers.clear();
    piece.writer.timestamp = {};
    if (bytes.spaceOf(p) != abi::PERSISTENT)
      piece.origin = Origin::Nothing;
    else if (isFirst)
      piece.origin = Origin::BeforeRun;
    piece.isBefore = true;
  }
}

abi::Status DataflowChecker::run() {
  for (const abi::Action &action : actions) {
    ++runsOf[action.section()];
    ++runsWith[abi::baseSection(index.program, action.section())];
  }
  for (int step = 0; step < (execution.isStep ? 2 : 1); ++step) {
    startStep(step == 0);
    if (abi::Status status = runStep(); !status.ok())
      return status;
  }
  for (int i = 0; execution.isStep && i < index.program.parameters_size(); ++i) {
    const Touch &whole = bytes.buffer(index.program.parameters(i).buffer());
    Run reader{.begin = beginOf(whole)};
    for (uint32_t p = whole.of(0).first; p < whole.of(0).end; ++p)
      if (pieces[p].origin == Origin::Instruction && !pieces[p].isBefore)
        found.ofParameter[i].insert(sourceOf(reader, pieces[p].writer));
  }
  return {};
}

abi::Status DataflowChecker::runStep() {
  std::vector<uint32_t> left = runsOf;
  for (const abi::Action &next : actions) {
    action = next;
    if (abi::Status status = enterAction(); !status.ok())
      return status;
    bool isFirst = left[action.section()] == runsOf[action.section()];
    for (uint32_t r = index.firstOf[action.section()]; r < index.firstOf[action.section() + 1]; ++r)
      if (abi::Status status = runInstruction(r, isFirst); !status.ok())
        return status;
    if (--left[action.section()] == 0)
      readResults(action.section());
  }
  return {};
}

bool DataflowChecker::readsInput(uint32_t section) const {
  for (uint32_t r = index.firstOf[section]; r < index.firstOf[section + 1]; ++r)
    for (const Touch &touch : bytes.touchesOf(r))
      if (touch.reads != abi::Reads::No &&
          index.program.memory().buffers(int(touch.buffer)).space() == abi::INPUT)
        return true;
  return false;
}

/// Writes the input data and the step number, as the rank's thread does before an action.
abi::Status DataflowChecker::enterAction() {
  order.enterAction(action);
  abi::Status status;
  if (index.program.has_step_buffer())
    status = loadData(bytes.buffer(index.program.step_buffer()));
  if (!readsInput(action.section()))
    return status;
  bool isLoaded =
      loaded && loaded->microbatch() == action.microbatch() && loaded->copy() == action.copy();
  loaded = action;
  if (isLoaded)
    return status;
  for (const abi::Input &input : index.program.inputs()) {
    if (status.ok())
      status = loadData(bytes.buffer(input.buffer()));
    for (uint32_t buffer : input.copy_buffers())
      if (status.ok())
        status = loadData(bytes.buffer(buffer));
  }
  return status;
}

abi::Status DataflowChecker::loadData(const Touch &touch) {
  Pieces range = touch.of(0);
  for (uint32_t p = range.first; p < range.end; ++p) {
    for (const Run &reader : pieces[p].readers)
      if (checks && !order.isDone(reader.timestamp))
        return error(
            fmt::format("the inputs of {}[{},{}] are copied to '{}', which {} reads, and nothing "
                        "orders them; expected an instruction of COMPUTE that waits for it",
                        index.program.sections(int(action.section())).name(), action.microbatch(),
                        action.copy(), nameOf(touch), nameOf(reader.instruction, reader.action)));
    pieces[p].readers.clear();
    pieces[p].origin = Origin::Data;
  }
  return {};
}

abi::Status DataflowChecker::runInstruction(uint32_t instruction, bool isFirst) {
  order.enter(instruction);
  const std::vector<Touch> &touches = bytes.touchesOf(instruction);
  abi::Status status;
  auto isRead = [&](const Touch &touch) {
    return touch.reads == abi::Reads::Yes || touch.reads == abi::Reads::Perhaps ||
           (touch.reads == abi::Reads::AfterFirst && !isFirst);
  };
  auto runOf = [&](size_t operand) {
    return Run{instruction, order.timestamp(), action, uint32_t(operand),
               beginOf(touches[operand])};
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

uint64_t DataflowChecker::beginOf(const Touch &touch) const {
  const abi::Buffer &buffer = index.program.memory().buffers(int(touch.buffer));
  uint64_t turn = execution.isStep ? abi::ringIndex(index.executable.batch(), action) : 0;
  return abi::ringOffset(buffer, turn) + touch.offset;
}

abi::Status DataflowChecker::read(const Run &own, const Touch &touch) {
  Pieces range = piecesOf(touch);
  for (uint32_t p = range.first; p < range.end; ++p) {
    Piece &piece = pieces[p];
    if (abi::Status status = readPiece(own, touch, piece); !status.ok())
      return status;
    auto same = std::find_if(piece.readers.begin(), piece.readers.end(), [&](const Run &reader) {
      return reader.timestamp.clock == own.timestamp.clock;
    });
    if (same == piece.readers.end())
      piece.readers.push_back(own);
    else
      *same = own;
  }
  return {};
}

abi::Status DataflowChecker::readPiece(const Run &own, const Touch &touch, const Piece &piece) {
  bool isSure = touch.reads != abi::Reads::Perhaps;
  if (piece.origin == Origin::Nothing && isSure && checks)
    return error(fmt::format("{} reads '{}', of which not every byte was written; expected an "
                             "instruction before it that writes them",
                             nameOf(own.instruction, action), nameOf(touch)));
  if (piece.origin != Origin::Instruction)
    return {};
  if (checks && !order.isDone(piece.writer.timestamp))
    return race(piece.writer, touch, "reads", "writes");
  Sources &sources = found.ofInstruction[own.instruction];
  (piece.isBefore ? sources.before : sources.inStep).insert(sourceOf(own, piece.writer));
  return checks && isSure ? checkSource(own, touch, piece) : abi::Status();
}

abi::Status DataflowChecker::checkSource(const Run &own, const Touch &touch, const Piece &piece) {
  const Run &writer = piece.writer;
  bool isOther =
      action.microbatch() != writer.action.microbatch() || action.copy() != writer.action.copy();
  abi::Space space = index.program.memory().buffers(int(touch.buffer)).space();
  if (isOther && space == abi::TEMPORARY && isRepeated(action.section()) &&
      isRepeated(writer.action.section()))
    return error(fmt::format("{} reads '{}' as {} left it for another microbatch; expected a ring "
                             "of greater depth, or another order of actions",
                             nameOf(own.instruction, action), nameOf(touch),
                             nameOf(writer.instruction, writer.action)));
  if (!isStated)
    return {};
  const abi::Instruction &reader = *index.instructions[own.instruction];
  const auto &stated = piece.isBefore ? reader.reads_before() : reader.reads();
  if (std::binary_search(stated.begin(), stated.end(), sourceOf(own, writer)))
    return {};
  return error(fmt::format("{} reads '{}' as {}{} left it; expected one of the sources that the "
                           "program states",
                           nameOf(own.instruction, action), nameOf(touch),
                           nameOf(writer.instruction, writer.action),
                           piece.isBefore ? " of the step before" : ""));
}

abi::Status DataflowChecker::write(const Run &own, const Touch &touch) {
  Pieces range = piecesOf(touch);
  auto isSelf = [&](const Run &run) {
    return run.timestamp.clock == own.timestamp.clock && run.timestamp.count == own.timestamp.count;
  };
  for (uint32_t p = range.first; p < range.end; ++p) {
    Piece &piece = pieces[p];
    for (const Run &reader : piece.readers)
      if (checks && !isSelf(reader) && !order.isDoneBeforeWrite(reader.timestamp))
        return race(reader, touch, "writes", "reads");
    if (checks && piece.origin == Origin::Instruction && !isSelf(piece.writer) &&
        !order.isDoneBeforeWrite(piece.writer.timestamp))
      return race(piece.writer, touch, "writes", "writes");
    piece.readers.clear();
    piece.origin = Origin::Instruction;
    piece.isBefore = false;
    piece.writer = own;
  }
  return {};
}

/// Reads the results of a section after its last run; the rank's thread waits for their writers.
void DataflowChecker::readResults(uint32_t section) {
  order.enterThread();
  for (int i = 0; i < index.program.results_size(); ++i) {
    const abi::Result &result = index.program.results(i);
    if (result.section() != section)
      continue;
    const Touch &whole = bytes.buffer(result.buffer());
    Pieces range = piecesOf(whole);
    Run reader{.begin = beginOf(whole)};
    for (uint32_t p = range.first; p < range.end; ++p)
      if (pieces[p].origin == Origin::Instruction) {
        order.waitFor(pieces[p].writer.timestamp);
        found.ofResult[i].insert(sourceOf(reader, pieces[p].writer));
      }
  }
}

} // namespace

abi::Status checkDataflow(const ProgramIndex &index, const ByteMap &bytes, const Arrivals *arrivals,
                          const Execution &execution, ObservedDataflow &found) {
  return DataflowChecker(index, bytes, arrivals, execution, /*checks=*/true, found).run();
}

void collectDataflow(const ProgramIndex &index, const ByteMap &bytes, const Execution &execution,
                     ObservedDataflow &found) {
  (void)DataflowChecker(index, bytes, nullptr, execution, /*checks=*/false, found).run();
}

ObservedDataflow makeObservedDataflow(const ProgramIndex &index) {
  ObservedDataflow found;
  found.ofInstruction.resize(index.instructions.size());
  found.ofResult.resize(index.program.results_size());
  found.ofParameter.resize(index.program.parameters_size());
  return found;
}

} // namespace pcc::check
