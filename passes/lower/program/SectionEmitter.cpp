// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the instructions of a section: one per kernel, then those that its results require.
#include "passes/analysis/kernels/Epilogues.h"
#include "passes/lower/host/loops/KernelLoops.h"
#include "passes/lower/program/Program.h"

#include "dialects/dist/Group.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Stages.h"
#include "dialects/task/EpilogueAttrs.h"
#include "dialects/task/InstructionAttrs.h"
#include "passes/analysis/cost/Cost.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

SectionEmitter::SectionEmitter(analysis::Section &section, SectionOp instructions, Buffers &buffers,
                               Outliner &outliner)
    : section(section), buffers(buffers), outliner(outliner),
      b(OpBuilder::atBlockEnd(&instructions.getBody().front())) {
  for (auto [index, value] : llvm::enumerate(section.getReturned()))
    if (section.isAccumulated(index))
      sumsOf[analysis::findAddition(value)].push_back(index);
}

LogicalResult SectionEmitter::emit() {
  auto lastInstruction = [&] { return b.getBlock()->empty() ? nullptr : &b.getBlock()->back(); };
  emitSums(-1);
  lastInstructions.push_back(lastInstruction());
  for (const analysis::Kernel &kernel : analysis::collectKernels(section.function)) {
    if (!kernel.hoisted) {
      if (failed(emitKernel(kernel)))
        return failure();
      emitSums(kernel.number);
    }
    lastInstructions.push_back(lastInstruction());
  }
  return emitResults();
}

LogicalResult SectionEmitter::emitKernel(const analysis::Kernel &kernel) {
  switch (kernel.form.getKind()) {
  case FormKind::Matmul:
    emitMatmul(kernel);
    return success();
  case FormKind::Convolution:
    emitConvolution(kernel);
    return success();
  case FormKind::Attention:
    emitAttention(kernel);
    return success();
  case FormKind::Collective:
    return emitFusedCollective(kernel);
  default:
    emitLaunch(kernel);
    return success();
  }
}

/// Makes a table with a number for each rank; `number` finds it from the rank and its group's
/// members.
static RankAttr tableOf(Operation *op, dist::GroupAttr group,
                        function_ref<int64_t(int64_t rank, const dist::RankList &)> number) {
  dist::Mesh mesh = dist::getMesh(op);
  SmallVector<int64_t> table;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank)
    table.push_back(number(rank, dist::getGroupMembers(group, mesh, rank)));
  return RankAttr::get(op->getContext(), 0, {}, {}, table);
}

/// Returns a rank's position in its group: the coordinate for a group over one axis, else a table.
static RankAttr positionOf(dist::RankOp op) {
  MLIRContext *context = op.getContext();
  dist::Mesh mesh = dist::getMesh(op);
  dist::GroupAttr group = op.getGroupAttr();
  bool isAxis = group ? group.getAxes().size() == 1 : mesh.getAxes().size() == 1;
  if (!isAxis)
    return tableOf(op, group, [](int64_t rank, const dist::RankList &members) {
      return llvm::find(members, rank) - members.begin();
    });
  StringAttr axis = group ? group.getAxes()[0] : StringAttr::get(context, mesh.getAxes()[0].name);
  return RankAttr::get(context, 0, {axis}, {1}, {});
}

/// Returns the op's number on each rank, as a scalar of a kernel.
static ScalarAttr scalarOf(Operation *op) {
  auto expression = RankAttr();
  if (auto rank = dyn_cast<dist::RankOp>(op))
    expression = positionOf(rank);
  else
    expression = tableOf(op, cast<dist::GroupSizeOp>(op).getGroupAttr(),
                         [](int64_t, const dist::RankList &members) { return members.size(); });
  return ScalarAttr::get(op->getContext(), expression, ActionValue::None);
}

/// Counts the flops of a kernel in contractions, elementwise ops and reductions.
static SmallVector<int64_t> countFlops(const analysis::Kernel &kernel) {
  SmallVector<int64_t> flops(3, 0);
  for (Operation *op : kernel.ops) {
    analysis::Cost cost = analysis::costOf(op);
    if (cost.opClass == analysis::OpClass::Contraction)
      flops[0] += cost.flops;
    else if (cost.opClass == analysis::OpClass::Reduction)
      flops[2] += cost.flops;
    else
      flops[1] += cost.flops;
  }
  return flops;
}

/// Counts the bytes of a kernel's inputs that it does not read, because it takes a slice of them or
/// gathers from them.
static int64_t countUntouched(const analysis::Kernel &kernel) {
  DenseMap<Value, int64_t> read; // bytes; those of several ops may be the same
  for (Operation *op : kernel.ops) {
    Value part = analysis::readsPart(op) ? analysis::viewRoot(op->getOperand(0)) : Value();
    analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
      read[source] +=
          analysis::getNumBytes(source == part ? op->getResult(0).getType() : source.getType());
    });
  }
  int64_t untouched = 0;
  for (Value input : kernel.inputs)
    untouched += std::max<int64_t>(analysis::getNumBytes(input.getType()) - read.lookup(input), 0);
  return untouched;
}

/// Emits the launch of a kernel. Its operands are in the order of the kernel's pointers: inputs,
/// then outputs that lie in no input's buffer (KernelSignature.cpp); change both together.
void SectionEmitter::emitLaunch(const analysis::Kernel &kernel) {
  SmallVector<Value> operands;
  SmallVector<int32_t> accesses;
  for (Value input : kernel.inputs) {
    operands.push_back(buffers.of(input));
    accesses.push_back(int32_t(Access::Read));
  }
  SmallVector<int64_t> tiedTo;
  for (Value output : kernel.outputs) {
    PlaceAttr place = placeOf(output);
    int64_t tied = -1;
    for (auto [n, input] : llvm::enumerate(kernel.inputs))
      if (place && placeOf(input) == place)
        tied = n;
    tiedTo.push_back(tied);
    if (tied >= 0) {
      accesses[tied] = int32_t(Access::ReadWrite);
      continue;
    }
    operands.push_back(buffers.of(output));
    accesses.push_back(int32_t(Access::Write));
  }
  OutlinedKernel outlined = outliner.outline(kernel, tiedTo);
  SmallVector<Attribute> scalars;
  for (Operation *op : outlined.scalars)
    scalars.push_back(scalarOf(op));
  auto launch = LaunchOp::create(b, kernel.ops.back()->getLoc(), outlined.function.getName(),
                                 operands, scalars.empty() ? ArrayAttr() : b.getArrayAttr(scalars),
                                 iterationsOf(outlined.function, kernel.form).trip);
  launch->setAttr(accessesAttrName, b.getDenseI32ArrayAttr(accesses));
  launch->setAttr(flopsAttrName, b.getDenseI64ArrayAttr(countFlops(kernel)));
  if (int64_t bytes = countUntouched(kernel); bytes > 0)
    launch->setAttr(untouchedAttrName, b.getI64IntegerAttr(bytes));
}

namespace {
/// Operations that a library instruction runs after its main op, and sums that it computes beside
/// it.
struct Epilogue {
  Value bias; ///< one number per column or channel; null: none
  Activation activation = Activation::None;
  Value result;         ///< result of the last op
  Value preActivation;  ///< input of gelu, if its derivative reads it
  Value sumOfA, sumOfB; ///< null: none
};
} // namespace

/// Returns the vector that `op` adds to `value`, the result of a matmul or a convolution; null if
/// `op` does something else.
static Value biasIn(Operation *op, Value value, bool isMatmul) {
  auto add = dyn_cast<graph::AddOp>(op);
  if (!add)
    return nullptr;
  Value other = analysis::viewRoot(add.getLhs()) == value ? add.getRhs() : add.getLhs();
  if (!analysis::isBias(other, isMatmul ? add.getType().getRank() - 1 : 1))
    return nullptr;
  return other.getDefiningOp<graph::BroadcastOp>().getInput();
}

/// Returns the value of another kernel that the ops after a matmul read.
static Value readByEpilogue(const analysis::Kernel &kernel) {
  Value read;
  for (Operation *op : ArrayRef(kernel.ops).drop_front())
    analysis::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
      Operation *maker = source.getDefiningOp();
      bool isConstant = maker && maker->hasTrait<OpTrait::ConstantLike>();
      if (!isConstant && kernel.inputs.contains(source))
        read = source;
    });
  return read;
}

static Epilogue epilogueOf(const analysis::Kernel &kernel) {
  Epilogue epilogue;
  Operation *matmul = kernel.ops.front();
  bool isMatmul = isa<graph::MatmulOp>(matmul);
  epilogue.result = matmul->getResult(0);
  auto activation = matmul->getAttrOfType<ActivationAttr>(activationAttrName);
  for (Operation *op : ArrayRef(kernel.ops).drop_front()) {
    if (auto sum = dyn_cast<graph::ReduceOp>(op)) {
      bool isOfA = analysis::factorSummedBy(sum, cast<graph::MatmulOp>(matmul)) == 0;
      (isOfA ? epilogue.sumOfA : epilogue.sumOfB) = sum.getResult();
      continue;
    }
    if (Value bias = epilogue.bias ? Value() : biasIn(op, epilogue.result, isMatmul)) {
      epilogue.bias = bias;
      epilogue.result = op->getResult(0);
    } else if (isa<graph::ReluOp>(op)) {
      epilogue.activation = Activation::Relu;
      epilogue.result = op->getResult(0);
    }
  }
  if (!activation) {
    assert((llvm::isa<graph::ReduceOp>(kernel.ops.back()) ||
            epilogue.result == kernel.ops.back()->getResult(0)) &&
           "an op behind the matmul is in no field of its instruction");
    return epilogue;
  }
  epilogue.activation = activation.getValue();
  if (epilogue.activation == Activation::GeluGradient)
    epilogue.preActivation = readByEpilogue(kernel);
  else if (llvm::is_contained(kernel.outputs, epilogue.result))
    epilogue.preActivation = epilogue.result;
  epilogue.result = kernel.ops.back()->getResult(0);
  return epilogue;
}

/// Returns how an accumulated result is added. The first result of a sum overwrites the sum of the
/// previous step.
Accumulation SectionEmitter::accumulationOf(unsigned result) {
  return section.beginsSum(result) ? Accumulation::AddAfterFirst : Accumulation::Add;
}

void SectionEmitter::emitMatmul(const analysis::Kernel &kernel) {
  auto matmul = cast<graph::MatmulOp>(kernel.ops.front());
  ArrayRef<int64_t> shape = matmul.getType().getShape(), lhs = matmul.getLhs().getType().getShape();
  int64_t rank = shape.size(), m = shape[rank - 2], n = shape[rank - 1];
  int64_t k = lhs[rank - (matmul.getTransposeLhs() ? 2 : 1)];
  Epilogue epilogue = epilogueOf(kernel);
  auto bufferIf = [&](Value value) { return value ? buffers.of(value) : Value(); };
  auto accumulation = Accumulation::Overwrite;
  if (analysis::addsByItself(kernel)) {
    OpOperand &use = *epilogue.result.use_begin();
    if (use.getOwner()->hasTrait<OpTrait::IsTerminator>() &&
        section.isAccumulated(use.getOperandNumber()))
      accumulation = accumulationOf(use.getOperandNumber());
  }
  int64_t batch = matmul.getType().getNumElements() / (m * n);
  MatmulOp::create(
      b, kernel.ops.back()->getLoc(), buffers.of(matmul.getLhs()), buffers.of(matmul.getRhs()),
      buffers.of(epilogue.result), bufferIf(epilogue.bias), bufferIf(epilogue.preActivation),
      bufferIf(epilogue.sumOfA), bufferIf(epilogue.sumOfB), batch, m, n, k,
      matmul.getTransposeLhs(), matmul.getTransposeRhs(), /*shared_b=*/false, accumulation,
      epilogue.activation, StreamKind::Compute, ArrayRef<int32_t>(), ArrayRef<int32_t>());
}

void SectionEmitter::emitConvolution(const analysis::Kernel &kernel) {
  Epilogue epilogue = epilogueOf(kernel);
  Value bias = epilogue.bias ? buffers.of(epilogue.bias) : Value();
  auto create = [&](auto op, ConvolutionKind kind, Value input, Value weight, Value result) {
    ConvolutionOp::create(b, kernel.ops.back()->getLoc(), kind, buffers.inShapeOf(input),
                          buffers.inShapeOf(weight), buffers.inShapeOf(result), bias,
                          op.getStrides(), op.getPadding(), op.getDilations(), epilogue.activation,
                          StreamKind::Compute, ArrayRef<int32_t>(), ArrayRef<int32_t>());
  };
  llvm::TypeSwitch<Operation *>(kernel.ops.front())
      .Case([&](graph::Conv2dOp op) {
        create(op, ConvolutionKind::Forward, op.getInput(), op.getWeight(), epilogue.result);
      })
      .Case([&](graph::Conv2dInputGradientOp op) {
        create(op, ConvolutionKind::InputGradient, op.getResult(), op.getWeight(),
               op.getGradient());
      })
      .Case([&](graph::Conv2dWeightGradientOp op) {
        create(op, ConvolutionKind::WeightGradient, op.getInput(), op.getResult(),
               op.getGradient());
      });
}

/// Returns the value that lies in memory for an attention operand or result. If the kernel includes
/// a transpose of it, this is the transpose's operand or result.
static Value inMemory(Value value, const analysis::Kernel &kernel) {
  if (value && llvm::is_contained(kernel.ops, value.getDefiningOp()) &&
      value.getDefiningOp<graph::TransposeOp>())
    return value.getDefiningOp()->getOperand(0);
  if (value)
    for (Operation *user : value.getUsers())
      if (isa<graph::TransposeOp>(user) && llvm::is_contained(kernel.ops, user))
        return user->getResult(0);
  return value;
}

/// Emits an attention instruction. The gradient op names result, log_sum and gradients as operands
/// or results of its own. If the kernel includes transposes, the instruction uses their operands
/// and results, in which the positions come first.
void SectionEmitter::emitAttention(const analysis::Kernel &kernel) {
  Operation *attention = *llvm::find_if(kernel.ops, analysis::isAttention);
  auto create = [&](auto op, Value result, Value logSum, ValueRange gradients) {
    auto bufferOf = [&](Value value) {
      return value ? buffers.inShapeOf(inMemory(value, kernel)) : Value();
    };
    AttentionOp::create(b, op.getLoc(), bufferOf(op.getQuery()), bufferOf(op.getKey()),
                        bufferOf(op.getValue()), bufferOf(result), bufferOf(logSum),
                        bufferOf(op.getMask()), bufferOf(op.getOffset()),
                        llvm::map_to_vector(gradients, bufferOf), op.getScale(), op.getCausal(),
                        /*positions_first=*/kernel.ops.size() > 1, StreamKind::Compute,
                        ArrayRef<int32_t>(), ArrayRef<int32_t>());
  };
  llvm::TypeSwitch<Operation *>(attention)
      .Case([&](graph::AttentionOp op) { create(op, op.getResult(), op.getLogSum(), {}); })
      .Case([&](graph::AttentionGradientOp op) {
        create(
            op, op.getResult(), op.getLogSum(),
            {op.getGradient(), op.getQueryGradient(), op.getKeyGradient(), op.getValueGradient()});
      });
}

/// Returns the rank at the same position of another stage: the own rank, moved by whole stages.
static RankAttr peerOf(Operation *op, int64_t stage) {
  MLIRContext *context = op->getContext();
  dist::Mesh mesh = dist::getMesh(op);
  int64_t own = pipe::getStage(op->getParentOfType<ModuleOp>()).value_or(0);
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> strides;
  int64_t stride = 1;
  for (const dist::MeshAxis &axis : llvm::reverse(mesh.getAxes())) {
    axes.push_back(StringAttr::get(context, axis.name));
    strides.push_back(stride);
    stride *= axis.size;
  }
  axes.push_back(StringAttr::get(context, pipe::stageAxisName));
  strides.push_back(stride);
  return RankAttr::get(context, (stage - own) * stride, axes, strides, {});
}

/// Emits the collectives of a kernel as one fused collective.
LogicalResult SectionEmitter::emitFusedCollective(const analysis::Kernel &kernel) {
  for (Operation *op : kernel.ops)
    if (failed(emitCollective(op, /*fused=*/op != kernel.ops.front())))
      return failure();
  return success();
}

LogicalResult SectionEmitter::emitCollective(Operation *op, bool fused) {
  if (auto send = dyn_cast<pipe::SendOp>(op)) {
    SendOp::create(b, op->getLoc(), buffers.inShapeOf(send.getInput()), peerOf(op, send.getStage()),
                   send.getTag())
        .setStream(StreamKind::Transfer);
    return success();
  }
  if (auto recv = dyn_cast<pipe::RecvOp>(op)) {
    RecvOp::create(b, op->getLoc(), buffers.of(recv.getResult()), peerOf(op, recv.getStage()),
                   recv.getTag())
        .setStream(StreamKind::Transfer);
    return success();
  }
  Value source = op->getNumOperands() ? buffers.inShapeOf(op->getOperand(0)) : Value();
  Value destination = op->getNumResults() ? buffers.of(op->getResult(0)) : Value();
  return emitCollectiveInstruction(b, op, source, destination, fused);
}

/// Adds the results that the kernel computes to their sums over actions. -1: results that no kernel
/// computes.
void SectionEmitter::emitSums(int64_t kernel) {
  for (unsigned index : sumsOf.lookup(kernel)) {
    Value value = section.getReturned()[index];
    auto sum = section.function.getResultAttrOfType<PlaceAttr>(index, analysis::placeAttrName);
    if (sum == placeOf(value)) // the matmul adds to the sum itself
      continue;
    ShapedType type = analysis::getSumType(value.getType());
    StringRef name = nameOfResult(section.getResultRole(index));
    AccumulateOp::create(b, value.getLoc(), buffers.of(value),
                         buffers.at(sum, type, name, value.getLoc()))
        .setAccumulation(accumulationOf(index));
  }
}

/// Copies new values of parameters that no kernel could write in place.
LogicalResult SectionEmitter::emitResults() {
  SmallVector<ParameterCopy> copies;
  for (auto [index, value] : llvm::enumerate(section.getReturned())) {
    if (section.isAccumulated(index))
      continue;
    graph::RoleAttr role = section.getResultRole(index);
    PlaceAttr target = placeOfParameter(role);
    if (target && target != placeOf(value))
      copies.push_back({value, target, nameOfResult(role)});
  }
  return emitCopies(std::move(copies));
}

/// Returns the place of the parameter whose new value is the result; null for other results.
PlaceAttr SectionEmitter::placeOfParameter(graph::RoleAttr role) {
  if (!role || role.getKind() != graph::RoleKind::Parameter)
    return nullptr;
  auto module = section.function->getParentOfType<ModuleOp>();
  auto parameter = module.lookupSymbol<graph::ParameterOp>(role.getName());
  return parameter ? parameter->getAttrOfType<PlaceAttr>(analysis::placeAttrName) : PlaceAttr();
}

/// Copies in an order in which old values are read before they are overwritten: a parameter may
/// take the old value of another.
LogicalResult SectionEmitter::emitCopies(SmallVector<ParameterCopy> copies) {
  while (!copies.empty()) {
    auto next = llvm::find_if(copies, [&](const ParameterCopy &copy) {
      return llvm::none_of(copies, [&](const ParameterCopy &other) {
        return &other != &copy && placeOf(other.value) == copy.target;
      });
    });
    if (next == copies.end())
      return section.function.emitError()
             << "parameter \"" << copies.front().name << "\" of \"" << section.function.getName()
             << "\" exchanges its value with another: expected parameters that can be written one "
                "after the other";
    Location loc = next->value.getLoc();
    auto type = cast<ShapedType>(next->value.getType());
    CopyOp::create(b, loc, buffers.of(next->value),
                   buffers.at(next->target, type, next->name, loc));
    copies.erase(next);
  }
  return success();
}

} // namespace pcc::lower
