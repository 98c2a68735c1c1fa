// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links instructions, one message per op.
#include "compiler/link/Linker.h"

#include "dialects/task/InstructionAttrs.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/Reasons.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pcc::link {

/// Sets the model's name of an op and its position in the user's file, as far as the location has
/// them.
static void describe(Location location, abi::Instruction &instruction) {
  instruction.set_op(analysis::getName(location).str());
  instruction.set_location(analysis::findSourceLocation(location));
}

/// States who asked for a collective, if its location says so.
static void linkRequest(Location location, abi::Instruction &instruction) {
  std::optional<analysis::Request> request = analysis::findRequest(location);
  if (!request || !instruction.has_collective())
    return;
  abi::Request &out = *instruction.mutable_request();
  out.set_value(request->value);
  out.set_from(request->from);
  out.set_from_reason(request->fromReason);
  out.set_reader(request->reader);
  out.set_reader_location(request->readerLocation);
  out.set_readers(uint32_t(request->readers));
  out.set_to(request->to);
  out.set_to_reason(request->toReason);
}

static abi::StreamKind linkStream(task::StreamKind stream) {
  switch (stream) {
  case task::StreamKind::Compute:
    return abi::COMPUTE;
  case task::StreamKind::Communication:
    return abi::COMMUNICATION;
  case task::StreamKind::Transfer:
    return abi::TRANSFER;
  }
  llvm_unreachable("a stream");
}

static abi::Accumulation accumulationOf(task::Accumulation accumulation) {
  switch (accumulation) {
  case task::Accumulation::Overwrite:
    return abi::OVERWRITE;
  case task::Accumulation::Add:
    return abi::ADD;
  case task::Accumulation::AddAfterFirst:
    return abi::ADD_AFTER_FIRST;
  }
  llvm_unreachable("an accumulation");
}

static abi::Activation activationOf(task::Activation activation) {
  switch (activation) {
  case task::Activation::None:
    return abi::ACTIVATION_NONE;
  case task::Activation::Relu:
    return abi::RELU;
  case task::Activation::Gelu:
    return abi::GELU;
  case task::Activation::GeluGradient:
    return abi::GELU_GRADIENT;
  }
  llvm_unreachable("every activation is listed");
}

static abi::Convolution::Kind kindOf(task::ConvolutionKind kind) {
  switch (kind) {
  case task::ConvolutionKind::Forward:
    return abi::Convolution::FORWARD;
  case task::ConvolutionKind::InputGradient:
    return abi::Convolution::INPUT_GRADIENT;
  case task::ConvolutionKind::WeightGradient:
    return abi::Convolution::WEIGHT_GRADIENT;
  }
  llvm_unreachable("a kind");
}

static abi::ReduceOp reductionOf(task::ReduceOp reduction) {
  switch (reduction) {
  case task::ReduceOp::Sum:
    return abi::SUM;
  case task::ReduceOp::Max:
    return abi::MAX;
  case task::ReduceOp::Min:
    return abi::MIN;
  case task::ReduceOp::Prod:
    return abi::PROD;
  }
  llvm_unreachable("a reduction");
}

static int64_t bytesOf(Value buffer) { return task::bytesOf(cast<ShapedType>(buffer.getType())); }

static Type elementOf(Value buffer) { return cast<ShapedType>(buffer.getType()).getElementType(); }

void Linker::linkOperand(Value value, abi::Operand &operand) {
  int64_t offset = 0;
  while (auto view = value.getDefiningOp<task::ViewOp>()) {
    offset += view.getOffset();
    value = view.getSource();
  }
  operand.set_buffer(bufferOf.lookup(value));
  operand.set_offset(offset);
}

uint32_t Linker::kernelOf(StringRef symbol) {
  auto [it, isNew] = shared.kernels.try_emplace(symbol, executable.kernels_size());
  if (isNew) {
    abi::Kernel &kernel = *executable.add_kernels();
    kernel.set_name(symbol.str());
    kernel.set_symbol(symbol.str());
  }
  return it->second;
}

/// Returns the index of a group, with the same lists in every stage.
uint32_t Linker::groupOf(DenseIntElementsAttr lists) {
  auto [it, isNew] = shared.groups.try_emplace(lists, executable.groups_size());
  if (!isNew)
    return it->second;
  abi::RankGroups &group = *executable.add_groups();
  int64_t length = lists.getType().getDimSize(1), each = mesh.getNumRanks();
  for (int64_t stage = 0; stage < shared.stages; ++stage) {
    int64_t position = 0;
    abi::RankList *list = nullptr;
    for (int64_t rank : lists.getValues<int64_t>()) {
      if (position++ % length == 0)
        list = group.add_lists();
      list->add_ranks(stage * each + rank);
    }
  }
  return it->second;
}

void Linker::linkLaunch(task::LaunchOp op, abi::Launch &launch) {
  launch.set_kernel(kernelOf(op.getKernel()));
  auto accesses = op->getAttrOfType<DenseI32ArrayAttr>(task::accessesAttrName);
  for (auto [i, buffer] : llvm::enumerate(op.getBuffers())) {
    abi::Operand &operand = *launch.add_operands();
    linkOperand(buffer, operand);
    operand.set_bytes(bytesOf(buffer));
    if (accesses && accesses.size() == int64_t(op.getBuffers().size()))
      operand.set_access(abi::Access(accesses[i]));
  }
  if (std::optional<ArrayAttr> scalars = op.getScalars())
    for (auto attribute : scalars->getAsRange<task::ScalarAttr>()) {
      abi::Scalar &scalar = *launch.add_scalars();
      linkRank(attribute.getExpression(), *scalar.mutable_expression());
      scalar.set_action_value(abi::Scalar::ActionValue(attribute.getActionValue()));
    }
  launch.set_trip(op.getTrip());
  if (auto untouched = op->getAttrOfType<IntegerAttr>(task::untouchedAttrName))
    launch.set_untouched_bytes(untouched.getInt());
  auto flops = op->getAttrOfType<DenseI64ArrayAttr>(task::flopsAttrName);
  if (!flops || flops.size() != 3)
    return;
  launch.set_contraction_flops(flops[0]);
  launch.set_elementwise_flops(flops[1]);
  launch.set_reduction_flops(flops[2]);
}

void Linker::linkMatmul(task::MatmulOp op, abi::Matmul &matmul) {
  matmul.set_batch(op.getBatch());
  matmul.set_m(op.getM());
  matmul.set_n(op.getN());
  matmul.set_k(op.getK());
  matmul.set_transpose_a(op.getTransposeA());
  matmul.set_transpose_b(op.getTransposeB());
  matmul.set_type(analysis::toElementType(elementOf(op.getA())));
  matmul.set_result_type(analysis::toElementType(elementOf(op.getC())));
  linkOperand(op.getA(), *matmul.mutable_a());
  linkOperand(op.getB(), *matmul.mutable_b());
  linkOperand(op.getC(), *matmul.mutable_c());
  if (op.getBias())
    linkOperand(op.getBias(), *matmul.mutable_bias());
  if (op.getPreActivation())
    linkOperand(op.getPreActivation(), *matmul.mutable_pre_activation());
  if (op.getSumOfA())
    linkOperand(op.getSumOfA(), *matmul.mutable_sum_of_a());
  if (op.getSumOfB())
    linkOperand(op.getSumOfB(), *matmul.mutable_sum_of_b());
  matmul.set_accumulation(accumulationOf(op.getAccumulation()));
  matmul.set_activation(activationOf(op.getActivation()));
  matmul.set_shared_b(op.getSharedB());
}

void Linker::linkConvolution(task::ConvolutionOp op, abi::Convolution &convolution) {
  convolution.set_kind(kindOf(op.getKind()));
  convolution.set_type(analysis::toElementType(elementOf(op.getInput())));
  auto fill = [](auto *field, ArrayRef<int64_t> values) {
    field->Add(values.begin(), values.end());
  };
  auto shapeOf = [](Value buffer) { return cast<ShapedType>(buffer.getType()).getShape(); };
  fill(convolution.mutable_input_shape(), shapeOf(op.getInput()));
  fill(convolution.mutable_weight_shape(), shapeOf(op.getWeight()));
  fill(convolution.mutable_result_shape(), shapeOf(op.getResult()));
  fill(convolution.mutable_strides(), op.getStrides());
  fill(convolution.mutable_padding(), op.getPadding());
  fill(convolution.mutable_dilations(), op.getDilations());
  linkOperand(op.getInput(), *convolution.mutable_input());
  linkOperand(op.getWeight(), *convolution.mutable_weight());
  linkOperand(op.getResult(), *convolution.mutable_result());
  if (op.getBias())
    linkOperand(op.getBias(), *convolution.mutable_bias());
  convolution.set_activation(activationOf(op.getActivation()));
}

void Linker::linkAttention(task::AttentionOp op, abi::Attention &attention) {
  auto shapeOf = [](Value buffer) { return cast<ShapedType>(buffer.getType()).getShape(); };
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), value = shapeOf(op.getValue());
  int heads = op.getPositionsFirst() ? 2 : 1, positions = op.getPositionsFirst() ? 1 : 2;
  attention.set_batch(query[0]);
  attention.set_heads(query[heads]);
  attention.set_groups(value[heads]);
  attention.set_positions(query[positions]);
  attention.set_key_positions(value[positions]);
  attention.set_positions_first(op.getPositionsFirst());
  attention.set_width(query[3]);
  attention.set_depth(value[3]);
  attention.set_type(analysis::toElementType(elementOf(op.getQuery())));
  attention.set_scale(op.getScale().convertToDouble());
  attention.set_causal(op.getCausal());
  linkOperand(op.getQuery(), *attention.mutable_query());
  linkOperand(op.getKey(), *attention.mutable_key());
  linkOperand(op.getValue(), *attention.mutable_value());
  linkOperand(op.getResult(), *attention.mutable_result());
  linkOperand(op.getLogSum(), *attention.mutable_log_sum());
  if (Value mask = op.getMask()) {
    linkOperand(mask, *attention.mutable_mask());
    attention.mutable_mask_shape()->Add(shapeOf(mask).begin(), shapeOf(mask).end());
  }
  if (op.getOffset())
    linkOperand(op.getOffset(), *attention.mutable_offset());
  if (op.getGradients().empty())
    return;
  abi::Attention::Gradients &gradients = *attention.mutable_gradients();
  linkOperand(op.getGradients()[0], *gradients.mutable_result());
  linkOperand(op.getGradients()[1], *gradients.mutable_query());
  linkOperand(op.getGradients()[2], *gradients.mutable_key());
  linkOperand(op.getGradients()[3], *gradients.mutable_value());
}

void Linker::linkMoves(task::BlockExchangeOp op, abi::Collective &collective) {
  auto target = cast<ShapedType>(op.getDestination().getType());
  collective.mutable_target_shape()->Add(target.getShape().begin(), target.getShape().end());
  auto table = cast<DenseIntElementsAttr>(op.getMoves());
  SmallVector<int64_t> numbers(table.getValues<int64_t>());
  size_t width = table.getType().getShape().back(), rank = target.getRank();
  for (ArrayRef<int64_t> rest = numbers; !rest.empty(); rest = rest.drop_front(width)) {
    abi::BlockMove &move = *collective.add_moves();
    move.set_source(worldRank(rest[0]));
    move.set_target(worldRank(rest[1]));
    auto fill = [&](auto *field, size_t part) {
      ArrayRef<int64_t> values = rest.slice(2 + part * rank, rank);
      field->Add(values.begin(), values.end());
    };
    fill(move.mutable_source_start(), 0);
    fill(move.mutable_size(), 1);
    fill(move.mutable_target_start(), 2);
  }
  if (std::optional<task::ReduceOp> reduction = op.getReduction())
    collective.set_reduction(reductionOf(*reduction));
}

void Linker::linkPairs(task::CollectivePermuteOp op, abi::Collective &collective) {
  SmallVector<int64_t> ranks(op.getPairs().getValues<int64_t>());
  for (ArrayRef<int64_t> rest = ranks; !rest.empty(); rest = rest.drop_front(2)) {
    abi::RankPair &pair = *collective.add_pairs();
    pair.set_source(worldRank(rest[0]));
    pair.set_target(worldRank(rest[1]));
  }
}

/// Sets the kind of a collective, and the fields that only some kinds have.
void Linker::linkExtras(Operation *op, abi::Collective &c) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](task::AllReduceOp op) {
        c.set_kind(abi::ALL_REDUCE);
        c.set_reduction(reductionOf(op.getReduction()));
      })
      .Case([&](task::AllGatherOp op) {
        c.set_kind(abi::ALL_GATHER);
        c.set_axis(op.getAxis());
      })
      .Case([&](task::ReduceScatterOp op) {
        c.set_kind(abi::REDUCE_SCATTER);
        c.set_reduction(reductionOf(op.getReduction()));
        c.set_axis(op.getAxis());
      })
      .Case([&](task::BroadcastOp op) {
        c.set_kind(abi::BROADCAST);
        linkRank(op.getRoot(), *c.mutable_root());
      })
      .Case([&](task::ReduceToOp op) {
        c.set_kind(abi::REDUCE);
        c.set_reduction(reductionOf(op.getReduction()));
        linkRank(op.getRoot(), *c.mutable_root());
      })
      .Case([&](task::AllToAllOp op) {
        c.set_kind(abi::ALL_TO_ALL);
        c.set_axis(op.getAxis());
        c.set_concat_axis(op.getConcatAxis());
      })
      .Case([&](task::CollectivePermuteOp op) {
        c.set_kind(abi::COLLECTIVE_PERMUTE);
        linkPairs(op, c);
      })
      .Case([&](task::BlockExchangeOp op) {
        c.set_kind(abi::BLOCK_EXCHANGE);
        linkMoves(op, c);
      })
      .Case([&](task::SendOp op) {
        c.set_kind(abi::SEND);
        linkPeer(op.getPeer(), *c.mutable_peer());
        c.set_tag(op.getTag());
      })
      .Case([&](task::RecvOp op) {
        c.set_kind(abi::RECV);
        linkPeer(op.getPeer(), *c.mutable_peer());
        c.set_tag(op.getTag());
      })
      .Case([&](task::BarrierOp) { c.set_kind(abi::BARRIER); });
}

void Linker::linkCollective(Operation *op, abi::Collective &collective) {
  linkExtras(op, collective);
  collective.set_fused(op->hasAttr(task::fusedAttrName));
  if (auto lists = op->getAttrOfType<DenseIntElementsAttr>("groups"))
    collective.set_group(groupOf(lists));
  if (op->getNumOperands() == 0)
    return;
  bool isRecv = isa<task::RecvOp>(op);
  auto type = cast<ShapedType>(op->getOperand(0).getType());
  collective.set_type(analysis::toElementType(type.getElementType()));
  collective.mutable_shape()->Add(type.getShape().begin(), type.getShape().end());
  if (isRecv)
    return linkOperand(op->getOperand(0), *collective.mutable_destination());
  linkOperand(op->getOperand(0), *collective.mutable_source());
  if (op->getNumOperands() > 1)
    linkOperand(op->getOperand(1), *collective.mutable_destination());
}

void Linker::linkInstruction(Operation *op, abi::Instruction &instruction) {
  auto interface = cast<task::InstructionOpInterface>(op);
  instruction.set_stream(linkStream(interface.getStream()));
  for (int32_t event : interface.getWaits())
    instruction.add_waits(event);
  for (int32_t event : interface.getSignals()) {
    instruction.add_signals(event);
    out.set_events(std::max<uint32_t>(out.events(), event + 1));
  }
  if (auto behind = op->getAttrOfType<DenseI32ArrayAttr>(task::behindAttrName))
    instruction.mutable_behind()->Add(behind.asArrayRef().begin(), behind.asArrayRef().end());
  describe(op->getLoc(), instruction);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](task::LaunchOp op) { linkLaunch(op, *instruction.mutable_launch()); })
      .Case([&](task::MatmulOp op) { linkMatmul(op, *instruction.mutable_matmul()); })
      .Case([&](task::AttentionOp op) { linkAttention(op, *instruction.mutable_attention()); })
      .Case(
          [&](task::ConvolutionOp op) { linkConvolution(op, *instruction.mutable_convolution()); })
      .Case([&](task::CopyOp op) {
        linkOperand(op.getSource(), *instruction.mutable_copy()->mutable_source());
        linkOperand(op.getDestination(), *instruction.mutable_copy()->mutable_destination());
        instruction.mutable_copy()->set_bytes(bytesOf(op.getSource()));
      })
      .Case([&](task::FillOp op) {
        linkOperand(op.getDestination(), *instruction.mutable_fill()->mutable_destination());
        instruction.mutable_fill()->set_bytes(bytesOf(op.getDestination()));
      })
      .Case([&](task::AccumulateOp op) {
        abi::Accumulate &accumulate = *instruction.mutable_accumulate();
        linkOperand(op.getSource(), *accumulate.mutable_source());
        linkOperand(op.getDestination(), *accumulate.mutable_destination());
        accumulate.set_source_type(analysis::toElementType(elementOf(op.getSource())));
        accumulate.set_count(cast<ShapedType>(op.getSource().getType()).getNumElements());
        accumulate.set_accumulation(accumulationOf(op.getAccumulation()));
      })
      .Default([&](Operation *op) { linkCollective(op, *instruction.mutable_collective()); });
  linkRequest(op->getLoc(), instruction);
}

void Linker::linkSection(task::SectionOp section) {
  abi::Section &message = *out.add_sections();
  message.set_name(section.getSymName().str());
  if (std::optional<StringRef> other = section.getLastOf())
    message.set_last_of(sections.lookup(*other) + 1);
  for (Operation &op : section.getBody().front())
    if (isa<task::InstructionOpInterface>(op))
      linkInstruction(&op, *message.add_instructions());
}

} // namespace pcc::link
