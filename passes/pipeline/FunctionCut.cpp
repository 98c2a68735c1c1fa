// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a section by cloning its ops in program order. An operand from another section is resolved
// in one of three ways: received, recomputed, or read as a saved argument. A saved value is
// recorded in the cut, so that its own section, built later, returns it.
#include "passes/pipeline/FunctionCut.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/analysis/kernels/HeadTransposes.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/Reasons.h"

using namespace mlir;

namespace pcc::pipeline {

unsigned FunctionCut::sectionMaking(Value value) const {
  Operation *op = value.getDefiningOp();
  return isa<pipe::TransferOp>(op) ? receiverOf.lookup(op) : sectionOf.lookup(op);
}

StringRef FunctionCut::save(Value value) {
  std::string &name = saved[value];
  if (!name.empty())
    return name;
  std::string base = analysis::getName(value.getDefiningOp()).str();
  name = base;
  for (int number = 1; !savedNames.insert(name).second; ++number)
    name = base + "#" + std::to_string(number);
  return name;
}

void FunctionCut::numberMessages(MessageTags &tags) {
  for (auto transfer : source.getOps<pipe::TransferOp>())
    if (!isWithinStage(transfer))
      tagOf[transfer] = tags.next(sections[sectionOf.lookup(transfer)].stage,
                                  sections[receiverOf.lookup(transfer)].stage);
}

void FunctionCut::findOpsOfParameters() {
  auto isConstantInStep = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return ofParameters.contains(value.getDefiningOp());
    graph::RoleAttr role = graph::getArgRole(source, argument.getArgNumber());
    return role && role.getKind() == graph::RoleKind::Parameter &&
           !graph::findResult(source, graph::RoleKind::Parameter, graph::getName(role));
  };
  for (Operation &op : source.getBody().front().without_terminator())
    if (!isa<pipe::TransferOp>(op) && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getOperands(), isConstantInStep))
      ofParameters.insert(&op);
}

void FunctionCut::findHeadTransposes() {
  for (auto attention : source.getOps<graph::AttentionOp>()) {
    graph::TransposeOp behind = analysis::headTransposeAfter(attention.getResult());
    bool isMadeHere = behind && !attention->hasAttr(pipe::recomputeAttrName) &&
                      sectionOf.contains(attention) && sectionOf.contains(behind) &&
                      sectionOf.lookup(attention) == sectionOf.lookup(behind);
    if (!isMadeHere || !analysis::usesHeadTransposes(attention))
      continue;
    savedInstead[attention.getResult()] = behind.getResult();
    for (Value operand : {attention.getQuery(), attention.getKey(), attention.getValue()})
      headTransposes.insert(operand.getDefiningOp());
  }
}

/// Returns whether recomputing an op costs less than saving its result: the op computes nothing.
static bool isCheap(Operation *op) { return isa<graph::ReshapeOp, graph::BroadcastOp>(op); }

namespace {
class SectionBuilder {
public:
  SectionBuilder(FunctionCut &cut, unsigned section, ModuleOp stage);
  func::FuncOp build();

private:
  void addOp(Operation *op);
  void addTransfer(pipe::TransferOp transfer);
  void addReturn();
  Value resolve(Value value);
  Value resolveResult(OpResult value);
  Value resolveSaved(Value value);
  Value addArgument(Value value, DictionaryAttr attributes);
  bool isRecomputedHere(Operation *op) const;
  DictionaryAttr savedRole(StringRef name) const;

  FunctionCut &cut;
  const unsigned section;
  func::FuncOp function;
  OpBuilder b;
  IRMapping mapping;
  SmallVector<Attribute> argumentAttrs, resultAttrs;
};
} // namespace

SectionBuilder::SectionBuilder(FunctionCut &cut, unsigned section, ModuleOp stage)
    : cut(cut), section(section), b(stage.getContext()) {
  b.setInsertionPointToEnd(stage.getBody());
  function = func::FuncOp::create(b, cut.source.getLoc(), cut.sections[section].name,
                                  b.getFunctionType({}, {}));
  function->setDiscardableAttrs(llvm::to_vector(cut.source->getDiscardableAttrs()));
  b.setInsertionPointToStart(function.addEntryBlock());
}

func::FuncOp SectionBuilder::build() {
  for (auto [parameter, keeper] : cut.unread)
    if (keeper == section)
      resolve(parameter);
  for (Operation &op : cut.source.getBody().front().without_terminator())
    addOp(&op);
  addReturn();
  return function;
}

/// Returns the location of the messages of a transfer, which says who reads the value.
static Location makeMessageLoc(pipe::TransferOp transfer, int64_t sender, int64_t receiver) {
  analysis::Request request;
  request.value = analysis::describeValue(transfer.getInput());
  request.readers = std::distance(transfer->user_begin(), transfer->user_end());
  if (request.readers > 0) {
    Operation *reader = *llvm::min_element(
        transfer->getUsers(), [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    request.reader = analysis::quote(analysis::getName(reader));
    request.readerLocation = analysis::findSourceLocation(reader->getLoc());
  }
  request.fromReason = "made in stage " + std::to_string(sender);
  request.toReason = "read in stage " + std::to_string(receiver);
  return analysis::withRequest(transfer.getLoc(), request);
}

/// Puts messages where the transfers stood. All stages share this order, so the messages can be
/// sent and received one after the other.
void SectionBuilder::addTransfer(pipe::TransferOp transfer) {
  if (cut.isWithinStage(transfer))
    return;
  const CutSection &sender = cut.sections[cut.sectionOf.lookup(transfer)];
  const CutSection &receiver = cut.sections[cut.receiverOf.lookup(transfer)];
  int64_t tag = cut.tagOf.lookup(transfer);
  Location loc = makeMessageLoc(transfer, sender.stage, receiver.stage);
  if (&sender == &cut.sections[section])
    pipe::SendOp::create(b, loc, resolve(transfer.getInput()), receiver.stage, tag);
  if (&receiver == &cut.sections[section])
    mapping.map(transfer.getResult(),
                pipe::RecvOp::create(b, loc, transfer.getType(), sender.stage, tag));
}

void SectionBuilder::addOp(Operation *op) {
  if (auto transfer = dyn_cast<pipe::TransferOp>(op))
    return addTransfer(transfer);
  auto known = cut.sectionOf.find(op);
  if (known == cut.sectionOf.end() || known->second != section)
    return;
  for (Value operand : op->getOperands())
    resolve(operand);
  b.clone(*op, mapping);
}

/// Returns the function's own results, then the values that this section saves.
void SectionBuilder::addReturn() {
  Operation *end = cut.source.getBody().front().getTerminator();
  SmallVector<Value> returned;
  for (auto [index, value] : llvm::enumerate(end->getOperands()))
    if (cut.returnedBy[index] == section) {
      returned.push_back(resolve(value));
      DictionaryAttr attributes = cut.source.getResultAttrDict(index);
      resultAttrs.push_back(attributes ? attributes : b.getDictionaryAttr({}));
    }
  for (auto &[value, name] : cut.saved)
    if (cut.sectionMaking(value) == section) {
      returned.push_back(mapping.lookup(value));
      resultAttrs.push_back(savedRole(name));
    }
  func::ReturnOp::create(b, end->getLoc(), returned);
  function.setType(
      b.getFunctionType(function.getBody().getArgumentTypes(), TypeRange(ValueRange(returned))));
  function.setArgAttrsAttr(b.getArrayAttr(argumentAttrs));
  function.setResAttrsAttr(b.getArrayAttr(resultAttrs));
}

/// Returns the value in this section that stands for a value of the function.
Value SectionBuilder::resolve(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    DictionaryAttr attributes = cut.source.getArgAttrDict(argument.getArgNumber());
    return addArgument(value, attributes ? attributes : b.getDictionaryAttr({}));
  }
  return resolveResult(cast<OpResult>(value));
}

Value SectionBuilder::resolveResult(OpResult value) {
  Operation *op = value.getOwner();
  if (auto transfer = dyn_cast<pipe::TransferOp>(op); transfer && cut.isWithinStage(transfer)) {
    mapping.map(value, resolve(transfer.getInput()));
  } else if (Value kept = cut.savedInstead.lookup(value)) {
    mapping.map(value, graph::TransposeOp::create(b, value.getLoc(), resolveSaved(kept),
                                                  analysis::headsWithPositions)
                           .getResult());
  } else if (isRecomputedHere(op)) {
    for (Value operand : op->getOperands())
      resolve(operand);
    b.clone(*op, mapping);
  } else {
    return addArgument(value, savedRole(cut.save(value)));
  }
  return mapping.lookup(value);
}

/// Returns `value` as a saved argument, even if the section could recompute it.
Value SectionBuilder::resolveSaved(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  return addArgument(value, savedRole(cut.save(value)));
}

/// Returns whether this section recomputes an op of another section instead of reading a saved
/// result.
bool SectionBuilder::isRecomputedHere(Operation *op) const {
  return !cut.sectionOf.contains(op) || isCheap(op) || cut.ofParameters.contains(op) ||
         cut.headTransposes.contains(op) || op->hasAttr(pipe::recomputeAttrName);
}

Value SectionBuilder::addArgument(Value value, DictionaryAttr attributes) {
  Value argument = function.getBody().front().addArgument(value.getType(), value.getLoc());
  argumentAttrs.push_back(attributes);
  mapping.map(value, argument);
  return argument;
}

DictionaryAttr SectionBuilder::savedRole(StringRef name) const {
  MLIRContext *context = cut.source.getContext();
  auto role = graph::makeRole(context, graph::RoleKind::Saved, name);
  return DictionaryAttr::get(context,
                             NamedAttribute(StringAttr::get(context, graph::roleAttrName), role));
}

func::FuncOp buildSection(FunctionCut &cut, unsigned section, ModuleOp stage) {
  return SectionBuilder(cut, section, stage).build();
}

} // namespace pcc::pipeline
