// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the nodes. OnnxModule.cpp has the steps before and after.

#include "compiler/import/OnnxImporter.h"

#include "compiler/import/configurations/DeviceConfigurations.h"
#include "compiler/import/exporter/ExportedModule.h"
#include "compiler/import/files/Locations.h"
#include "compiler/import/files/NarrowTypes.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/operators/Operators.h"
#include "dialects/graph/StopGradient.h"
#include "dialects/pipe/Pipe.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Returns why pcc does not have an operator of ONNX; empty if there is no particular reason.
llvm::StringRef whyRefused(llvm::StringRef operatorName) {
  return llvm::StringSwitch<llvm::StringRef>(operatorName)
      .Cases({"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
              "RandomUniformLike"},
             "each runtime draws other random numbers; make them an input of the model")
      .Cases({"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"},
             "programs have no strings; prepare them before the model")
      .Case("ImageDecoder", "programs read no image files; decode them before the model")
      .Default("");
}

/// Checks that the number of inputs fits the operator, and that required inputs are present.
LogicalResult checkInputCount(const Operator &entry, const onnx::NodeProto &proto,
                              const Emitter &emit) {
  auto count = static_cast<unsigned>(proto.input_size());
  unsigned required = entry.maxInputs == anyNumber ? count : entry.minInputs;
  if (count < entry.minInputs || count > entry.maxInputs) {
    auto diagnostic = emit.error() << "expected " << entry.minInputs;
    if (entry.maxInputs == anyNumber)
      diagnostic << " or more";
    else if (entry.maxInputs != entry.minInputs)
      diagnostic << " to " << entry.maxInputs;
    return diagnostic << " inputs, got " << count;
  }
  for (unsigned position = 0; position < required; ++position)
    if (proto.input(position).empty())
      return emit.error() << "input " << position << " is required";
  return success();
}

/// Replaces a narrow first input of an operator that moves it by the tensor that the program holds.
/// Returns the narrow type, null if there is none. Error: other narrow inputs that the operator
/// does not take.
FailureOr<Type> holdMoved(const Operator &entry, llvm::MutableArrayRef<Tensor> inputs,
                          const Emitter &emit) {
  Type narrow;
  for (auto [position, input] : llvm::enumerate(inputs)) {
    if (!input.type || !isNarrow(input.elementType()) || entry.narrow == NarrowInputs::Read)
      continue;
    if (entry.narrow == NarrowInputs::Refused || position > 0)
      return emit.error() << "expected input " << position
                          << " to have elements of at least 8 bits, floats of at least 16, got "
                          << input.type << "; cast it first";
    narrow = input.elementType();
    input = input.held();
  }
  return narrow;
}

} // namespace

bool OnnxImporter::define(const std::string &name, Tensor tensor, Location loc) {
  if (values.try_emplace(name, std::move(tensor)).second)
    return true;
  emitError(loc) << "value '" << name << "' is defined twice";
  return false;
}

const Operator *OnnxImporter::lookUp(const onnx::NodeProto &node, Location loc) {
  bool isDefault = isDefaultDomain(node.domain());
  const Operator *entry = isDefault ? findOperator(node.op_type(), opset) : nullptr;
  if (entry)
    return entry;
  std::string name = isDefault ? node.op_type() : node.domain() + "::" + node.op_type();
  auto diagnostic = emitError(loc) << "operator '" << name << "'";
  if (isDefault)
    diagnostic << " of opset " << opset;
  diagnostic << " is not supported";
  if (llvm::StringRef reason = isDefault ? whyRefused(node.op_type()) : ""; !reason.empty())
    diagnostic << ": " << reason;
  return nullptr;
}

LogicalResult OnnxImporter::defineResults(const onnx::NodeProto &proto, const Node &node,
                                          Type narrow) {
  llvm::ArrayRef<Tensor> results = node.getResults();
  for (auto [position, name] : llvm::enumerate(proto.output())) {
    if (name.empty())
      continue;
    if (position >= results.size())
      return node.emit.error() << "output " << position << " is not supported";
    const Tensor &result = results[position];
    if (!define(name, narrow ? result.asNarrow(narrow) : result, node.emit.location()))
      return failure();
  }
  return success();
}

LogicalResult OnnxImporter::runHandler(const Operator &entry, const onnx::NodeProto &proto,
                                       Location loc) {
  Emitter emit(builder, loc, "'" + proto.op_type() + "' of opset " + std::to_string(opset));
  if (failed(checkInputCount(entry, proto, emit)))
    return failure();
  llvm::SmallVector<Tensor> inputs;
  for (const std::string &name : proto.input()) {
    auto value = values.find(name);
    if (!name.empty() && value == values.end())
      return emit.error() << "input '" << name << "' is not defined before the node";
    if (!name.empty() && !value->second)
      return failure(); // poisoned; the cause has been reported
    inputs.push_back(name.empty() ? Tensor() : value->second);
  }
  if (proto.output_size() > 0)
    for (int position : detached.positions.lookup(proto.output(0)))
      stopGradient(inputs[position], loc);
  for (auto [position, input] : llvm::enumerate(inputs))
    if (input.sequence && !(entry.sequences >> std::min<size_t>(position, 31) & 1))
      return input.isAbsent()
                 ? emit.error() << "expected input " << position
                                << " to be a tensor, got an optional value that does not exist"
                 : emit.error() << "expected input " << position
                                << " to be a tensor, got a sequence of " << input.sequence->size();
  auto moved = holdMoved(entry, inputs, emit);
  if (failed(moved))
    return failure();
  Node node(proto, std::move(inputs), emit, tensors, *this);
  if (failed(entry.handler(node)) || failed(node.checkAttributes()))
    return failure();
  return defineResults(proto, node, *moved);
}

/// Replaces a tensor by one through which no gradient flows. Only floats have gradients.
void OnnxImporter::stopGradient(Tensor &x, Location loc) {
  if (x.value && isa<FloatType>(x.elementType()))
    x = Tensor::of(graph::stopGradient(builder, loc, x.value).getResult());
}

/// Sets the stage of the node on all ops after `before`, or on all ops if `before` is null.
void OnnxImporter::annotateStage(const onnx::NodeProto &node, Operation *before) {
  std::optional<int64_t> stage = findPipelineStage(node, configuration);
  if (!stage || !function)
    return;
  Block &body = function.front();
  auto first = before ? std::next(before->getIterator()) : body.begin();
  for (Operation &op : llvm::make_range(first, body.end()))
    op.setAttr(pipe::stageAttrName, builder.getI64IntegerAttr(*stage));
}

bool OnnxImporter::importNode(int64_t index, const onnx::NodeProto &node,
                              llvm::StringRef moduleName, bool canEvaluate) {
  if (node.output_size() == 1 && liftedConstants.contains(node.output(0)))
    return true;
  Location loc = index < 0 ? NameLoc::get(builder.getStringAttr(node.name()), fileLoc)
                           : nodeLocation(path, index, node, context, moduleName);
  std::string reason;
  ScopedDiagnosticHandler recorder(&context, [&](Diagnostic &diagnostic) {
    if (reason.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      reason = diagnostic.str();
    return failure(); // only observed: the next handler prints it
  });
  const Operator *entry = lookUp(node, loc);
  Operation *before = function && !function.front().empty() ? &function.front().back() : nullptr;
  bool isImported =
      entry && (canEvaluate ? succeeded(runHandler(*entry, node, loc)) : lookUpBodies(node, loc));
  if (isImported && reason.empty()) { // an op that cannot be built is an error, and null
    annotateStage(node, before);
    return true;
  }
  for (const std::string &name : node.output())
    values.try_emplace(name, Tensor());
  if (unsupported && !reason.empty() && depth == 0)
    unsupported->push_back({index, node.name(), node.op_type(), opset, reason});
  return false;
}

bool OnnxImporter::importNodes(bool canEvaluate) {
  bool isComplete = true;
  for (auto [index, node, name] : llvm::enumerate(graph.node(), nameByModules(graph))) {
    position = static_cast<int64_t>(index) - restored.nodes;
    if (position >= 0 && !positions.empty())
      position = positions[position];
    isComplete &= importNode(position, node, name, canEvaluate);
  }
  return isComplete;
}

/// Looks up the operators of all bodies of a node.
bool OnnxImporter::lookUpBodies(const onnx::NodeProto &node, Location loc) {
  bool areKnown = true;
  for (const onnx::AttributeProto &attribute : node.attribute())
    for (const onnx::NodeProto &inner : attribute.g().node())
      areKnown &= lookUp(inner, loc) != nullptr && lookUpBodies(inner, loc);
  return areKnown;
}

/// Defines the inputs and initializers of a body.
LogicalResult OnnxImporter::defineBody(const onnx::GraphProto &body, llvm::ArrayRef<Tensor> inputs,
                                       Emitter &emit) {
  if (body.input_size() != static_cast<int>(inputs.size()))
    return emit.error() << "expected a body of " << inputs.size() << " inputs, got "
                        << body.input_size();
  for (auto [info, input] : llvm::zip_equal(body.input(), inputs))
    if (!define(info.name(), input, emit.location()))
      return failure();
  for (const onnx::TensorProto &tensor : body.initializer()) {
    auto error = [&] { return emit.error() << "initializer '" << tensor.name() << "': "; };
    auto data = tensors.read(tensor, error);
    if (!data || !define(tensor.name(), Tensor::of(decodeConstant(data->type, data->bytes)),
                         emit.location()))
      return failure();
  }
  return success();
}

/// Imports the nodes of a body. Its names are forgotten afterwards, so that it can be imported
/// again.
FailureOr<llvm::SmallVector<Tensor>> OnnxImporter::importBody(const onnx::GraphProto &body,
                                                              llvm::ArrayRef<Tensor> inputs,
                                                              Emitter &emit) {
  ++depth;
  bool isImported = succeeded(defineBody(body, inputs, emit));
  for (const onnx::NodeProto &node : body.node())
    isImported = isImported && importNode(position, node, /*moduleName=*/"", /*canEvaluate=*/true);
  llvm::SmallVector<Tensor> outputs;
  for (const onnx::ValueInfoProto &output : body.output()) {
    auto value = values.find(output.name());
    if (isImported && value == values.end())
      emit.error() << "output '" << output.name() << "' of the body is not defined";
    isImported = isImported && value != values.end() && value->second;
    if (isImported)
      outputs.push_back(value->second);
  }
  for (const onnx::ValueInfoProto &input : body.input())
    values.erase(input.name());
  for (const onnx::TensorProto &tensor : body.initializer())
    values.erase(tensor.name());
  for (const onnx::NodeProto &node : body.node())
    for (const std::string &name : node.output())
      values.erase(name);
  --depth;
  if (!isImported)
    return failure();
  return outputs;
}

} // namespace pcc::import
