// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links parameters, inputs, results and metrics.
#include "compiler/link/Linker.h"

#include "dialects/graph/ModuleFacts.h"
#include "dialects/graph/OptimizerState.h"
#include "dialects/graph/ParameterPart.h"

using namespace mlir;

namespace pcc::link {

void Linker::linkRank(task::RankAttr attribute, abi::RankExpression &expression) {
  expression.set_constant(attribute.getConstant());
  for (auto [axis, stride] : llvm::zip_equal(attribute.getAxes(), attribute.getStrides())) {
    abi::RankExpression::Term &term = *expression.add_terms();
    term.set_axis(*axisOf(axis.getValue()));
    term.set_stride(stride);
  }
  // The table has one entry for each rank of the stage. Entries of other stages' ranks are not
  // read.
  for (int64_t stage = 0; stage < shared.stages; ++stage)
    expression.mutable_table()->Add(attribute.getTable().begin(), attribute.getTable().end());
}

/// Links the peer of a message. A table lists ranks of the stage; a sum over axes gives ranks of
/// all stages.
void Linker::linkPeer(task::RankAttr attribute, abi::RankExpression &expression) {
  linkRank(attribute, expression);
  for (int64_t &peer : *expression.mutable_table())
    peer = peer < 0 ? peer : worldRank(peer);
}

void Linker::linkBlock(task::BlockAttr block, Value buffer, abi::Block &message) {
  auto type = cast<ShapedType>(buffer.getType());
  message.set_type(analysis::toElementType(type.getElementType()));
  ArrayRef<int64_t> global = block.getGlobalShape();
  message.mutable_global_shape()->Add(global.begin(), global.end());
  message.mutable_local_shape()->Add(type.getShape().begin(), type.getShape().end());
  for (task::RankAttr offset : block.getOffsets())
    linkRank(offset, *message.add_offsets());
}

LogicalResult Linker::linkInitializer(graph::ParameterOp op, abi::Initializer &initializer) {
  ArrayRef<double> arguments = op.getInit().getArguments();
  switch (op.getInit().getKind()) {
  case graph::InitKind::Zeros:
    initializer.set_constant(0);
    return success();
  case graph::InitKind::Ones:
    initializer.set_constant(1);
    return success();
  case graph::InitKind::Constant:
    initializer.set_constant(arguments[0]);
    return success();
  case graph::InitKind::Uniform:
    initializer.mutable_uniform()->set_low(arguments[0]);
    initializer.mutable_uniform()->set_high(arguments[1]);
    return success();
  case graph::InitKind::Normal:
    initializer.mutable_normal()->set_mean(arguments[0]);
    initializer.mutable_normal()->set_deviation(arguments[1]);
    return success();
  case graph::InitKind::File: {
    if (!shared.hasValues) {
      initializer.set_constant(0);
      return success();
    }
    FailureOr<std::string> bytes = failure();
    if (op.getValue())
      bytes = bytesOf(*op.getValue());
    if (failed(bytes))
      return op.emitOpError() << "has no first value: expected its elements in the module, got a "
                                 "resource that is not there; '--weights' gives the values";
    initializer.set_data(std::move(*bytes));
    return success();
  }
  }
  llvm_unreachable("an initializer");
}

/// Sets the place of a part in its tensor. A state of a part is the same part of the tensor's
/// state: "qkv[q].moment1" of "qkv.moment1".
void Linker::linkPart(graph::ParameterOp declaration, abi::Parameter &parameter) {
  llvm::StringRef stateSuffix;
  if (auto owner = declaration->getAttrOfType<FlatSymbolRefAttr>(graph::stateOfName)) {
    stateSuffix = declaration.getSymName();
    if (!stateSuffix.consume_front(owner.getValue()))
      return;
    declaration = module.lookupSymbol<graph::ParameterOp>(owner.getValue());
  }
  std::optional<graph::ParameterPart> part;
  if (declaration)
    part = graph::getParameterPart(declaration);
  if (!part)
    return;
  parameter.mutable_part()->set_whole((part->whole + stateSuffix).str());
  parameter.mutable_part()->mutable_shape()->Add(part->shape.begin(), part->shape.end());
  parameter.mutable_part()->set_period(part->period);
  parameter.mutable_part()->set_offset(part->offset);
}

LogicalResult Linker::linkParameter(task::ParameterOp op) {
  auto declaration = module.lookupSymbol<graph::ParameterOp>(op.getParameter());
  if (!declaration)
    return op.emitOpError() << "expected a \"graph.parameter\" called \"" << op.getParameter()
                            << "\", got none";
  abi::Parameter &parameter = *out.add_parameters();
  parameter.set_name(op.getParameter().str());
  linkBlock(op.getBlock(), op.getBuffer(), *parameter.mutable_block());
  parameter.set_trainable(declaration.getTrainable());
  parameter.set_state(op.getState());
  parameter.set_buffer(bufferOf.lookup(op.getBuffer()));
  if (auto owner = declaration->getAttrOfType<FlatSymbolRefAttr>(graph::stateOfName))
    parameter.set_state_of(owner.getValue().str());
  linkPart(declaration, parameter);
  return linkInitializer(declaration, *parameter.mutable_initializer());
}

void Linker::linkInput(task::InputOp op) {
  inputs[op.getName()] = out.inputs_size();
  abi::Input &input = *out.add_inputs();
  input.set_name(op.getName().str());
  linkBlock(op.getBlock(), op.getBuffer(), *input.mutable_block());
  input.set_buffer(bufferOf.lookup(op.getBuffer()));
  for (Value copy : op.getCopies())
    input.add_copy_buffers(bufferOf.lookup(copy));
  if (std::optional<graph::IntegerRange> range = graph::findInputRange(module, op.getName())) {
    input.mutable_range()->set_least(range->least);
    input.mutable_range()->set_greatest(range->greatest);
    if (range->ignored)
      input.mutable_range()->set_ignored(*range->ignored);
  }
}

static abi::ResultRole roleOf(task::ResultRole role) {
  switch (role) {
  case task::ResultRole::Loss:
    return abi::LOSS;
  case task::ResultRole::Output:
    return abi::OUTPUT;
  case task::ResultRole::Gradient:
    return abi::GRADIENT;
  }
  llvm_unreachable("a role");
}

LogicalResult Linker::linkResult(task::ResultOp op) {
  auto section = sections.find(op.getSection());
  if (section == sections.end())
    return op.emitOpError() << "expected a section of the program, got \"@" << op.getSection()
                            << "\"";
  if (op.getRole() == task::ResultRole::Output)
    outputs[op.getName()] = out.results_size();
  abi::Result &result = *out.add_results();
  result.set_name(op.getName().str());
  result.set_role(roleOf(op.getRole()));
  linkBlock(op.getBlock(), op.getBuffer(), *result.mutable_block());
  result.set_buffer(bufferOf.lookup(op.getBuffer()));
  if (std::optional<ArrayAttr> axes = op.getPartialAxes())
    for (StringRef name : axes->getAsValueRange<StringAttr>()) {
      std::optional<uint32_t> axis = axisOf(name);
      if (!axis)
        return op.emitOpError() << "expected an axis of the mesh, got \"" << name << "\"";
      result.add_partial_axes(*axis);
    }
  result.set_section(section->second);
  result.set_accumulated(op.getAccumulated());
  result.set_scale(op.getScale().convertToDouble());
  result.set_own_loss_factor(op.getOwnFactor().convertToDouble());
  return success();
}

/// Returns the kind of a metric, and its name for users.
static std::pair<abi::Metric::Kind, const char *> describe(task::MetricKind kind) {
  switch (kind) {
  case task::MetricKind::Accuracy:
    return {abi::Metric::ACCURACY, "accuracy"};
  case task::MetricKind::Perplexity:
    return {abi::Metric::PERPLEXITY, "perplexity"};
  case task::MetricKind::MeanSquaredError:
    return {abi::Metric::MEAN_SQUARED_ERROR, "loss"};
  case task::MetricKind::MeanAbsoluteError:
    return {abi::Metric::MEAN_ABSOLUTE_ERROR, "mae"};
  case task::MetricKind::SigmoidCrossEntropy:
    return {abi::Metric::SIGMOID_CROSS_ENTROPY, "loss"};
  case task::MetricKind::BinaryAccuracy:
    return {abi::Metric::BINARY_ACCURACY, "accuracy"};
  }
  llvm_unreachable("a metric");
}

LogicalResult Linker::linkMetric(task::MetricOp op) {
  auto output = outputs.find(op.getOutput()), label = inputs.find(op.getLabel());
  if (output == outputs.end() || label == inputs.end())
    return op.emitOpError() << "expected an output \"" << op.getOutput() << "\" and an input \""
                            << op.getLabel() << "\" of the program";
  abi::Metric &metric = *out.add_metrics();
  auto [kind, name] = describe(op.getKind());
  metric.set_name(name);
  metric.set_kind(kind);
  metric.set_output(output->second);
  metric.set_label(label->second);
  metric.set_on_request(op.getOnRequest());
  return success();
}

} // namespace pcc::link
