// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AnnotateInFlight: computes until which action each sent message may be in flight. Rings get their
// depth from it, so that no rank waits to send.
//
// A sent value must stay until the other stage has begun to receive it. A rank learns this only
// from the messages that it receives. In 1F1B, stage 0 begins forward 5 after backward 3, which
// stage 1 sent after its forward 3. So the messages of forwards 0 to 3 are gone, message 4 may be
// in flight, and message 5 is being written:
//
//   stage 0   F0 F1    B0 F2 B1 F3 B2 …
//   stage 1      F0 B0 F1 B1 F2 B2 …       one in flight, one being written: depth 2
//
// In GPipe nothing comes back before the last forward, and the depth is the number of microbatches.
// Each stage keeps a vector clock (Fidge, Mattern): for each stage, the number of its actions that
// have begun. A message carries the clock of the beginning of its action, and the receiver
// takes the maximum. A message that an action reads after its first send, for example for another
// copy of its microbatch, counts only from the next action on.
//
// A ring entry is used again only in an action that comes after the receiving action. Let the
// actions of all stages run in an order in which every message is sent before the action that
// receives it. In such an order no rank waits to send (docs/spec/pipeline.md, "Why nothing hangs").
//
// Assumes the modules of stages with their actions in order. Leaves `pipe.in_flight_until` on each
// `pipe.send` that is in several actions.
#include "passes/schedule/Passes.h"
#include "passes/schedule/memory/Rings.h"

#include "dialects/pipe/Stages.h"

using namespace mlir;

namespace pcc::schedule {
#define GEN_PASS_DEF_ANNOTATEINFLIGHT
#include "passes/schedule/Passes.h.inc"

namespace {

/// Action of a microbatch. Actions that run once for all microbatches are excluded: their messages
/// need no ring, and messages of updates go both ways between two actions.
struct StageAction {
  StringRef section;
  int64_t number = 0; ///< selects the ring entry
  int64_t place = 0;  ///< position in the step
};

/// Message of a section: the other stage and the tag.
struct Message {
  int64_t stage = 0, tag = 0;
  Operation *op = nullptr;
};

struct StageActions {
  std::vector<StageAction> actions;
  llvm::StringMap<SmallVector<Message>> sends, receives; ///< by section, in their order
};

/// Key of a message: sending stage, receiving stage, tag, number.
using MessageKey = std::tuple<int64_t, int64_t, int64_t, int64_t>;

class InFlightAnalysis {
public:
  explicit InFlightAnalysis(ArrayRef<ModuleOp> modules);
  void run();

private:
  void addSections(ModuleOp module, StageActions &stage);
  bool isReady(int64_t stage) const;
  void runAction(int64_t stage);
  void annotate(int64_t stage, StringRef section, const Message &send);

  std::vector<StageActions> stages;
  std::vector<size_t> next; ///< by stage: its next action
  /// By stage and action: the vector clock when the action begins, which is the known number of
  /// begun actions of each stage.
  std::vector<std::vector<std::vector<size_t>>> known;
  std::vector<std::vector<size_t>> ended; ///< by stage: as `known`, at the end of its latest action
  std::map<MessageKey, std::pair<size_t, size_t>> sent; ///< stage and action
};

} // namespace

InFlightAnalysis::InFlightAnalysis(ArrayRef<ModuleOp> modules)
    : stages(modules.size()), next(modules.size(), 0), known(modules.size()),
      ended(modules.size(), std::vector<size_t>(modules.size(), 0)) {
  for (auto [index, module] : llvm::enumerate(modules))
    addSections(module, stages[index]);
}

void InFlightAnalysis::addSections(ModuleOp module, StageActions &stage) {
  pipe::StepOp step = analysis::getStep(module);
  if (!step)
    return;
  for (auto [place, action] : llvm::enumerate(step.getBody().front().getOps<pipe::ActionOp>()))
    if (action.getMicrobatch())
      stage.actions.push_back({action.getSection(), action.getNumber(), int64_t(place)});
  for (auto function : module.getOps<func::FuncOp>()) {
    for (auto send : function.getOps<pipe::SendOp>())
      stage.sends[function.getName()].push_back(
          {int64_t(send.getStage()), int64_t(send.getTag()), send});
    for (auto recv : function.getOps<pipe::RecvOp>())
      stage.receives[function.getName()].push_back(
          {int64_t(recv.getStage()), int64_t(recv.getTag()), recv});
  }
}

bool InFlightAnalysis::isReady(int64_t stage) const {
  const StageActions &own = stages[stage];
  if (next[stage] == own.actions.size())
    return false;
  const StageAction &action = own.actions[next[stage]];
  return llvm::all_of(own.receives.lookup(action.section), [&](const Message &message) {
    return sent.contains({message.stage, stage, message.tag, action.number});
  });
}

/// Returns whether the received value is first read, and so waited for, after `send`.
static bool isFirstReadAfter(Operation *recv, Operation *send) {
  return llvm::none_of(recv->getUsers(),
                       [&](Operation *user) { return user->isBeforeInBlock(send); });
}

void InFlightAnalysis::runAction(int64_t stage) {
  const StageActions &own = stages[stage];
  size_t place = next[stage]++;
  const StageAction &action = own.actions[place];
  SmallVector<Message> sends = own.sends.lookup(action.section);
  std::vector<size_t> &begun = ended[stage];
  begun[stage] = place + 1;
  bool isBehindSend = false;
  for (const Message &message : own.receives.lookup(action.section)) {
    if (!isBehindSend && !sends.empty() && isFirstReadAfter(message.op, sends.front().op)) {
      known[stage].push_back(begun);
      isBehindSend = true;
    }
    auto [other, sender] = sent.at({message.stage, stage, message.tag, action.number});
    for (size_t s = 0; s < begun.size(); ++s)
      begun[s] = std::max(begun[s], known[other][sender][s]);
  }
  if (!isBehindSend)
    known[stage].push_back(begun);
  for (const Message &message : sends)
    sent[{stage, message.stage, message.tag, action.number}] = {stage, place};
}

/// Annotates each execution of `send` with the end of its transfer. The transfer may be in flight
/// until the first action that knows that the other stage has begun the receiving action.
void InFlightAnalysis::annotate(int64_t stage, StringRef section, const Message &send) {
  std::map<int64_t, size_t> receivedIn; // actions of the other stage by number
  for (auto [place, action] : llvm::enumerate(stages[send.stage].actions))
    if (llvm::any_of(stages[send.stage].receives.lookup(action.section), [&](const Message &other) {
          return other.stage == stage && other.tag == send.tag;
        }))
      receivedIn[action.number] = place;
  SmallVector<int64_t> until; // by number; -1: it is not sent
  const std::vector<StageAction> &actions = stages[stage].actions;
  for (auto [place, action] : llvm::enumerate(actions)) {
    if (action.section != section || !receivedIn.contains(action.number))
      continue;
    auto isGone = [&](size_t later) {
      return known[stage][later][send.stage] > receivedIn[action.number];
    };
    size_t last = place;
    while (last + 1 < actions.size() && !isGone(last + 1))
      ++last;
    until.resize(std::max<size_t>(until.size(), action.number + 1), -1);
    until[action.number] = actions[last].place;
  }
  if (until.size() > 1)
    send.op->setAttr(inFlightAttrName, Builder(send.op).getDenseI64ArrayAttr(until));
}

void InFlightAnalysis::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t stage = 0; stage < stages.size(); ++stage)
      while (isReady(stage)) {
        runAction(stage);
        moved = true;
      }
  }
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    if (next[stage] < stages[stage].actions.size())
      return; // a cyclic wait, which the checker of the programs reports
    for (const auto &entry : stages[stage].sends)
      for (const Message &send : entry.second)
        annotate(stage, entry.first(), send);
  }
}

namespace {
struct AnnotateInFlight : impl::AnnotateInFlightBase<AnnotateInFlight> {
  void runOnOperation() override {
    FailureOr<SmallVector<ModuleOp>> programs = pipe::listPrograms(getOperation());
    if (failed(programs))
      return signalPassFailure();
    if (programs->size() > 1)
      InFlightAnalysis(*programs).run();
  }
};
} // namespace

} // namespace pcc::schedule
