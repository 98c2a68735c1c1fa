// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JoinCopies: merges all copies of a microbatch into one action, so that one copy can compute
// while another communicates. Assumes a step whose actions are for one copy each. Every section
// then does the work of all copies, one after the other; the schedule reorders this work.
//
//   action @forward_backward microbatch = 0 copy = 0    action @forward_backward microbatch = 0
//   action @forward_backward microbatch = 0 copy = 1
//
//   (input x,                                           (input x {pipe.copy = 0},
//                                                        input x {pipe.copy = 1},
//    parameter w) -> (gradient w)                        parameter w) -> (gradient w, gradient w)
//
// Each copy has its own inputs, saved values and messages. Its contribution to a sum is a result of
// its own. A parameter that a section changes, such as a running statistic, goes from copy to copy.
#include "passes/pipeline/Passes.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Stages.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/Sections.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::pipeline {
#define GEN_PASS_DEF_JOINCOPIES
#include "passes/pipeline/Passes.h.inc"

/// Gives the messages of each copy tags of their own. Messages that are sent once for all copies
/// get the tags of copy 0, because tags count over all functions.
static void setTag(Operation *op, int64_t copy, int64_t copies) {
  auto set = [&](auto message) { message.setTag(message.getTag() * copies + copy); };
  llvm::TypeSwitch<Operation *>(op).Case<pipe::SendOp, pipe::RecvOp, dist::SendOp, dist::RecvOp>(
      set);
}

namespace {

/// Rebuilds one section.
class Interleaver {
public:
  Interleaver(func::FuncOp section, int64_t copies)
      : section(section), copies(copies), builder(section) {}

  void run() {
    declare();
    builder.setInsertionPointToEnd(&target.getBody().front());
    for (int64_t copy = 0; copy < copies; ++copy)
      addCopy(copy);
    func::ReturnOp::create(builder, section.getLoc(), collectReturned());
    target.setName(section.getName());
    section.erase();
    receiveFirst();
  }

private:
  bool isOfCopy(RoleAttr role) const {
    return role && (role.getKind() == RoleKind::Input || role.getKind() == RoleKind::Saved);
  }
  bool isResultOfCopy(unsigned result) {
    return isOfCopy(getResultRole(section, result)) ||
           section.getResultAttr(result, pipe::accumulateAttrName);
  }
  DictionaryAttr attributesOf(DictionaryAttr attributes, RoleAttr role, int64_t copy) const;
  void declare();
  void addCopy(int64_t copy);
  Value makeArgument(unsigned index, int64_t copy);
  SmallVector<Value> collectReturned();
  void receiveFirst();

  func::FuncOp section, target;
  int64_t copies;
  OpBuilder builder;
  SmallVector<unsigned> firstArgument;       ///< by old argument
  SmallVector<SmallVector<Value>> returned;  ///< by copy and old result
  llvm::DenseMap<Attribute, Value> newValue; ///< of parameters, by role, after the previous copy
};

} // namespace

/// Returns the attributes of one copy's part of an input or a saved value; `attributes` are the
/// section's own.
DictionaryAttr Interleaver::attributesOf(DictionaryAttr attributes, RoleAttr role,
                                         int64_t copy) const {
  if (!isOfCopy(role))
    return attributes;
  NamedAttrList list(attributes);
  Builder b(role.getContext());
  if (role.getKind() == RoleKind::Input)
    list.set(pipe::copyAttrName, b.getI64IntegerAttr(copy));
  else
    list.set(roleAttrName, makeRole(role.getContext(), RoleKind::Saved,
                                    (getName(role) + ", copy " + Twine(copy)).str()));
  return list.getDictionary(role.getContext());
}

void Interleaver::declare() {
  SmallVector<Type> inputs, results;
  SmallVector<DictionaryAttr> inputAttributes, resultAttributes;
  for (auto [index, type] : llvm::enumerate(section.getArgumentTypes())) {
    RoleAttr role = getArgRole(section, index);
    firstArgument.push_back(inputs.size());
    for (int64_t copy = 0; copy < (isOfCopy(role) ? copies : 1); ++copy) {
      inputs.push_back(type);
      inputAttributes.push_back(attributesOf(section.getArgAttrDict(index), role, copy));
    }
  }
  for (auto [index, type] : llvm::enumerate(section.getResultTypes()))
    for (int64_t copy = 0; copy < (isResultOfCopy(index) ? copies : 1); ++copy) {
      results.push_back(type);
      resultAttributes.push_back(
          attributesOf(section.getResultAttrDict(index), getResultRole(section, index), copy));
    }
  target = func::FuncOp::create(builder, section.getLoc(), section.getName(),
                                builder.getFunctionType(inputs, results));
  target->setDiscardableAttrs(section->getDiscardableAttrDictionary());
  target.setAllArgAttrs(inputAttributes);
  target.setAllResultAttrs(resultAttributes);
  Block *body = target.addEntryBlock();
  for (auto [index, argument] : llvm::enumerate(section.getArguments()))
    for (int64_t copy = 0; copy < (isOfCopy(getArgRole(section, index)) ? copies : 1); ++copy)
      body->getArgument(firstArgument[index] + copy).setLoc(argument.getLoc());
}

/// Returns the copy's value for an argument. The step number counts the runs of the section, so
/// each copy counts as a run.
Value Interleaver::makeArgument(unsigned index, int64_t copy) {
  RoleAttr role = getArgRole(section, index);
  Value argument = target.getArgument(firstArgument[index] + (isOfCopy(role) ? copy : 0));
  if (role && role.getKind() == RoleKind::Parameter)
    if (Value changed = newValue.lookup(role))
      return changed;
  if (!role || role.getKind() != RoleKind::Step)
    return argument;
  Location loc = argument.getLoc();
  auto number = [&](int64_t value) {
    auto type = cast<RankedTensorType>(argument.getType());
    return ConstantOp::create(builder, loc,
                              DenseIntElementsAttr::get(type, ArrayRef<int64_t>(value)));
  };
  Value first = MulOp::create(builder, loc, argument, number(copies));
  return AddOp::create(builder, loc, first, number(copy));
}

void Interleaver::addCopy(int64_t copy) {
  IRMapping mapping;
  for (unsigned index = 0; index < section.getNumArguments(); ++index)
    mapping.map(section.getArgument(index), makeArgument(index, copy));
  for (Operation &op : section.getBody().front().without_terminator())
    setTag(builder.clone(op, mapping), copy, copies);
  SmallVector<Value> &values = returned.emplace_back();
  for (auto [index, value] :
       llvm::enumerate(section.getBody().front().getTerminator()->getOperands())) {
    values.push_back(mapping.lookup(value));
    RoleAttr role = getResultRole(section, index);
    if (role && role.getKind() == RoleKind::Parameter)
      newValue[role] = values.back();
  }
}

/// Returns the results of all copies. A result that copies do not have separately comes from the
/// last copy.
SmallVector<Value> Interleaver::collectReturned() {
  SmallVector<Value> values;
  for (unsigned index = 0; index < section.getNumResults(); ++index)
    for (int64_t copy = isResultOfCopy(index) ? 0 : copies - 1; copy < copies; ++copy)
      values.push_back(returned[copy][index]);
  return values;
}

/// Lets the messages to all copies arrive from the begin of the action on, while earlier copies
/// compute.
void Interleaver::receiveFirst() {
  Block &body = target.getBody().front();
  SmallVector<pipe::RecvOp> receives(body.getOps<pipe::RecvOp>());
  for (pipe::RecvOp recv : llvm::reverse(receives))
    recv->moveBefore(&body, body.begin());
}

/// Turns the actions of copy 0 into actions of all copies, and erases the other actions.
static llvm::SetVector<StringRef> joinActions(pipe::StepOp step) {
  llvm::SetVector<StringRef> sections;
  for (auto slot : llvm::make_early_inc_range(step.getBody().getOps<pipe::ActionOp>())) {
    if (!slot.getCopy())
      continue;
    sections.insert(slot.getSection());
    if (*slot.getCopy() == 0)
      slot.removeCopyAttr();
    else
      slot.erase();
  }
  return sections;
}

namespace {
struct JoinCopies : impl::JoinCopiesBase<JoinCopies> {
  void runOnOperation() override {
    FailureOr<SmallVector<ModuleOp>> programs = pipe::listPrograms(getOperation());
    if (failed(programs))
      return signalPassFailure();
    for (ModuleOp program : *programs) {
      pipe::StepOp step = analysis::getStep(program);
      if (!step || step.getCopies() == 1 || step.areCopiesTogether())
        continue;
      llvm::SetVector<StringRef> sections = joinActions(step);
      for (auto function : llvm::make_early_inc_range(program.getOps<func::FuncOp>()))
        if (sections.contains(function.getName()))
          Interleaver(function, step.getCopies()).run();
        else
          function.walk([&](Operation *op) { setTag(op, /*copy=*/0, step.getCopies()); });
    }
  }
};
} // namespace
} // namespace pcc::pipeline
