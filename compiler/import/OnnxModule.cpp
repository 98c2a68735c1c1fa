// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the module around the nodes: initializers, the signature of @forward, its outputs.

#include "compiler/import/ModelEdits.h"
#include "compiler/import/OnnxImporter.h"
#include "compiler/import/configurations/DeviceConfigurations.h"
#include "compiler/import/exporter/Parameters.h"
#include "compiler/import/files/Locations.h"
#include "compiler/import/files/NarrowTypes.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/restore/ExporterChanges.h"
#include "dialects/graph/ModuleFacts.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace pcc::import {
namespace {

graph::RoleAttr roleAttr(graph::RoleKind kind, llvm::StringRef name, MLIRContext &context) {
  return graph::RoleAttr::get(&context, kind, StringAttr::get(&context, name));
}

Tensor sequenceOf(llvm::ArrayRef<Constant> constants) {
  std::vector<Tensor> values;
  for (const Constant &constant : constants)
    values.push_back(Tensor::of(constant));
  return Tensor::ofSequence(std::move(values));
}

/// Returns a held value as a tensor of the type that the model gives it.
Tensor valueOfType(Value value, RankedTensorType type) {
  Tensor held = Tensor::of(value);
  return isNarrow(type.getElementType()) ? held.asNarrow(type.getElementType()) : held;
}

/// Returns every name that a node reads or the graph returns.
llvm::StringSet<> usedNames(const onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  for (const onnx::NodeProto &node : graph.node())
    forEachRead(node, [&](const std::string &name) { names.insert(name); });
  for (const onnx::ValueInfoProto &output : graph.output())
    names.insert(output.name());
  return names;
}

/// Removes ops without uses, such as transposes that a matmul has absorbed.
void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace

OnnxImporter::OnnxImporter(llvm::StringRef path, std::shared_ptr<onnx::ModelProto> model,
                           MLIRContext &context, std::vector<UnsupportedNode> *unsupported)
    : path(path), model(model), graph(model->graph()), context(context), unsupported(unsupported),
      fileLoc(fileLocation(path, context)), builder(&context),
      tensors(model, llvm::sys::path::parent_path(path), context) {
  context.loadDialect<func::FuncDialect, graph::GraphDialect, pipe::PipeDialect>();
}

OwningOpRef<ModuleOp> OnnxImporter::import(const ImportOptions &options) {
  const auto &constantInputs = options.inputs;
  auto chosen = chooseConfiguration(*model, options.deviceConfiguration, fileLoc);
  if (!checkOpsets() || failed(chosen))
    return {};
  configuration = *chosen;
  if (!configuration.empty() && failed(checkConfigurations(*model, path, context)))
    return {};
  keepNodes(options);
  auto inlined = inlineFunctions(*model, fileLoc);
  if (failed(inlined))
    return {};
  positions = std::move(*inlined);
  llvm::StringMap<int64_t> dims = options.dims;
  if (failed(declareAbsentWeights(*model->mutable_graph(), dims, fileLoc)))
    return {};
  restored = restoreParameters(model, llvm::sys::path::parent_path(path), context);
  detached = findDetachedInputs(graph);
  module = ModuleOp::create(fileLoc);
  llvm::StringSet<> sequences;
  for (llvm::StringRef name : options.sequences.keys())
    sequences.insert(name);
  for (llvm::StringRef name : options.absent.keys())
    sequences.insert(name);
  auto inputs = bindInputs(graph, dims, constantInputs, sequences, fileLoc);
  bool isValid = readInitializers();
  for (const auto &[name, value] : constantInputs)
    isValid &= define(name.str(), Tensor::of(value), fileLoc);
  for (const auto &[name, values] : options.sequences)
    isValid &= define(name.str(), sequenceOf(values), fileLoc);
  for (llvm::StringRef name : options.absent.keys())
    isValid &= define(name.str(), Tensor::absent(), fileLoc);
  isValid &= createFunction(inputs.value_or(std::vector<GraphInput>()));
  // Without sizes or data, the nodes are still searched for unsupported operators.
  bool canEvaluate = inputs && isValid;
  if (!importNodes(canEvaluate) || !canEvaluate || !returnOutputs() || failed(recordNodes()))
    return {};
  declareParameters();
  warnOfFoldedBatchNorms();
  eraseDeadOps(function.front());
  return succeeded(verify(*module)) ? std::move(module) : nullptr;
}

bool OnnxImporter::checkOpsets() {
  bool isDeclared = false;
  for (const onnx::OperatorSetIdProto &set : model->opset_import()) {
    if (!set.domain().empty() && set.domain() != "ai.onnx")
      continue;
    if (isDeclared && set.version() != opset) {
      emitError(fileLoc) << "expected one opset of domain 'ai.onnx', got " << opset << " and "
                         << set.version();
      return false;
    }
    isDeclared = true;
    opset = set.version();
  }
  if (!isDeclared)
    emitError(fileLoc) << "the file declares no opset: field 'opset_import' is missing or the file "
                          "was truncated";
  else if (opset < oldestOpset || opset > newestOpset)
    emitError(fileLoc) << "expected an opset from " << oldestOpset << " to " << newestOpset
                       << ", got " << opset;
  return isDeclared && opset >= oldestOpset && opset <= newestOpset;
}

bool OnnxImporter::readInitializers() {
  bool isValid = true;
  if (graph.sparse_initializer_size() > 0) {
    emitError(fileLoc) << "sparse initializers are not supported: '"
                       << graph.sparse_initializer(0).values().name() << "'";
    isValid = false;
  }
  llvm::StringSet<> used = usedNames(graph);
  ExportedModule exported(graph);
  ParameterNames names = findParameters(graph, opset, exported, tensors);
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (tensor.name().empty())
      continue; // no node can read it: an input without a name is absent
    Use use = names.trained.contains(tensor.name())  ? Use::Trained
              : names.states.contains(tensor.name()) ? Use::State
                                                     : Use::Constant;
    if (used.contains(tensor.name()))
      isValid &= readInitializer(tensor.name(), tensor, use);
    if (use == Use::Constant && exported.isSavedBuffer(tensor.name()))
      readBuffer(tensor);
  }
  // Running statistics in Constant nodes are read like those in initializers.
  for (const onnx::NodeProto &node : graph.node())
    if (const onnx::TensorProto *tensor = findConstantTensor(node);
        tensor && !node.output(0).empty() && names.states.contains(node.output(0))) {
      isValid &= readInitializer(node.output(0), *tensor, Use::State);
      liftedConstants.insert(node.output(0));
    }
  if (!exported.listsParameters())
    warnOfSharedParameters();
  reportLostBuffers(exported);
  std::vector<std::string> altered = findAlteredParameters(graph, opset, exported, restored);
  llvm::append_range(altered, restored.contradictions);
  llvm::append_range(altered, detached.unclear);
  recordAltered(altered);
  if (altered.empty())
    reportUnreadParameters(exported);
  if (isValid && !absent.empty())
    emitRemark(fileLoc) << "tensors whose data are not there: " << absent.size()
                        << " (first: " << absent.front()
                        << "); the model can be planned, but not run";
  return isValid;
}

/// Returns whether all elements have the same bytes.
static bool areAllEqual(const TensorData &data) {
  size_t width = data.bytes.size() / std::max<int64_t>(data.type.getNumElements(), 1);
  return width > 0 && data.bytes.drop_back(width) == data.bytes.drop_front(width);
}

/// Warns of parameters that several nodes read, in a file that does not list the parameters of its
/// module. Exporters merge equal tensors, such as the scales of all norms of a new model. torch's
/// older exporter also merges the equal weights of copied layers. A shared parameter looks the
/// same.
void OnnxImporter::warnOfSharedParameters() {
  llvm::StringMap<int64_t> readers;
  for (const onnx::NodeProto &node : graph.node()) {
    llvm::StringSet<> read;
    forEachRead(
        node, [&](const std::string &name) { readers[name] += read.insert(name).second ? 1 : 0; });
  }
  bool isTorch = model->producer_name() == "pytorch";
  const Initializer *first = nullptr;
  int64_t count = 0;
  for (const Initializer &parameter : parameters) {
    const TensorData &data = parameter.data;
    bool isSuspect = parameter.use == Use::Trained && readers.lookup(parameter.name) > 1 &&
                     data.type.getNumElements() > 1 && (isTorch || areAllEqual(data));
    count += isSuspect;
    first = isSuspect && !first ? &parameter : first;
  }
  if (first)
    emitWarning(fileLoc) << "parameters that several nodes read: " << count << " (first: '"
                         << first->name << "', " << readers.lookup(first->name)
                         << " nodes); if the exporter merged equal parameters, training changes "
                            "them together; torch.onnx.export(…, dynamo=True) says which are one";
}

/// Reports buffers that saved files will lack. A module counts the batches of its batch norms
/// itself.
void OnnxImporter::reportLostBuffers(const ExportedModule &exported) {
  llvm::StringSet<> present;
  for (const onnx::TensorProto &tensor : graph.initializer())
    present.insert(tensor.name());
  llvm::SmallVector<llvm::StringRef> lost;
  for (const ExportedTensor &buffer : exported.savedBuffers())
    if (!present.contains(buffer.target) && !buffer.target.ends_with("num_batches_tracked"))
      lost.push_back(buffer.target);
  if (!lost.empty())
    emitRemark(fileLoc) << "buffers of the module that the exporter left out: " << lost.size()
                        << " (first: '" << lost.front() << "'); saved files lack them; "
                        << "'optimize=False' keeps all that a node reads";
}

/// Reports parameters that no node reads. The exporter stores no such parameter, so saved files
/// lack them.
void OnnxImporter::reportUnreadParameters(const ExportedModule &exported) {
  llvm::StringSet<> known;
  for (const onnx::TensorProto &tensor : graph.initializer())
    known.insert(tensor.name());
  for (const onnx::NodeProto &node : graph.node())
    if (std::optional<FxNode> fx = findFxNode(node))
      known.insert_range(fx->arguments);
  llvm::SmallVector<llvm::StringRef> unread;
  for (const ExportedTensor &parameter : exported.parameters())
    if (!known.contains(parameter.target) && !known.contains(parameter.placeholder))
      unread.push_back(parameter.target);
  if (!unread.empty())
    emitRemark(fileLoc) << "parameters of the module that no node reads: " << unread.size()
                        << " (first: '" << unread.front()
                        << "'); the file and saved files lack them; load with 'strict=False'";
}

/// Records the parameters that the exporter changed, for the pass that refuses to train them.
void OnnxImporter::recordAltered(llvm::ArrayRef<std::string> altered) {
  llvm::SmallVector<llvm::StringRef> texts(altered.begin(), altered.end());
  if (!texts.empty())
    (*module)->setAttr(graph::alteredParametersAttrName, builder.getStrArrayAttr(texts));
}

/// Returns the name of a tensor without data, and the file that should have them.
static std::string describeAbsent(const std::string &name, const onnx::TensorProto &tensor) {
  std::string text = "'" + name + "'";
  for (const onnx::StringStringEntryProto &entry : tensor.external_data())
    if (entry.key() == "location")
      text += " in '" + entry.value() + "'";
  return text;
}

bool OnnxImporter::readInitializer(const std::string &name, const onnx::TensorProto &tensor,
                                   Use use) {
  bool isParameter = use != Use::Constant;
  auto error = [&] { return emitError(fileLoc) << "initializer '" << name << "': "; };
  bool isAbsent = tensors.isAbsent(tensor);
  auto data = isAbsent ? tensors.readTypeOnly(tensor, error) : tensors.read(tensor, error);
  if (!data)
    return false;
  if (isAbsent)
    absent.push_back(describeAbsent(name, tensor));
  if (!isParameter && !isAbsent && data->type.getNumElements() <= Emitter::maxFoldedElements)
    return define(name, Tensor::of(decodeConstant(data->type, data->bytes)), fileLoc);
  RankedTensorType held = holderOf(data->type);
  if (!graph::hasGraphShape(held) || !isGraphElement(held.getElementType())) {
    error() << "tensors of type " << data->type << " are not supported";
    return false;
  }
  (isParameter ? parameters : largeConstants).push_back({name, std::move(*data), use});
  return true;
}

/// Keeps the value of a buffer of the module, so that saved files have all tensors of its state
/// dict. The nodes read it as a constant.
void OnnxImporter::readBuffer(const onnx::TensorProto &tensor) {
  ScopedDiagnosticHandler ignored(&context, [](Diagnostic &) { return success(); });
  std::optional<TensorData> data;
  if (!tensors.isAbsent(tensor))
    data = tensors.read(tensor, [&] { return emitError(fileLoc); });
  if (data && graph::hasGraphShape(data->type) && isGraphElement(data->type.getElementType()))
    parameters.push_back({tensor.name(), std::move(*data), Use::Buffer});
}

bool OnnxImporter::createFunction(llvm::ArrayRef<GraphInput> inputs) {
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, fileLoc, "forward", builder.getFunctionType({}, {}));
  Block *block = function.addEntryBlock();
  bool areDistinct = true;
  auto addArgument = [&](graph::RoleKind kind, const std::string &name, RankedTensorType type,
                         bool isRead = true) {
    auto attributes = builder.getDictionaryAttr(
        builder.getNamedAttr(graph::roleAttrName, roleAttr(kind, name, context)));
    Location loc = NameLoc::get(builder.getStringAttr(name), fileLoc);
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, holderOf(type), attributes, loc);
    if (isRead)
      areDistinct &= define(name, valueOfType(function.getArgument(index), type), fileLoc);
  };
  for (const GraphInput &input : inputs)
    addArgument(graph::RoleKind::Input, input.name, input.type);
  for (const Initializer &parameter : parameters)
    addArgument(graph::RoleKind::Parameter, parameter.name, parameter.data.type,
                parameter.use != Use::Buffer);
  builder.setInsertionPointToEnd(block);
  for (const Initializer &constant : largeConstants)
    areDistinct &=
        define(constant.name,
               valueOfType(graph::ConstantOp::create(builder, fileLoc, holderOf(constant.data.type),
                                                     constant.data.toResource(constant.name)),
                           constant.data.type),
               fileLoc);
  return areDistinct;
}

void OnnxImporter::declareParameters() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  auto init =
      graph::InitAttr::get(&context, graph::InitKind::File, DenseF64ArrayAttr::get(&context, {}));
  for (const Initializer &parameter : parameters) {
    Location loc = NameLoc::get(builder.getStringAttr(parameter.name), fileLoc);
    graph::ParameterOp::create(builder, loc, parameter.name, parameter.data.type, init,
                               parameter.data.toResource(parameter.name),
                               /*trainable=*/parameter.use == Use::Trained);
  }
}

/// Warns if the exporter folded batch norms into weights. torch's exporter records each rewrite at
/// the node. Such a model computes the same results, but training it differs from training the
/// original.
void OnnxImporter::warnOfFoldedBatchNorms() {
  const onnx::NodeProto *first = nullptr;
  int64_t count = 0;
  for (const onnx::NodeProto &node : graph.node())
    if (findRewriteRule(node).contains_insensitive("batchnorm")) {
      first = first ? first : &node;
      ++count;
    }
  if (!first)
    return;
  emitWarning(fileLoc) << "batch norms that the exporter has folded into the weights of other "
                       << "nodes: " << count << " (first: '" << first->name()
                       << "'); export with 'optimize=False' to train them";
}

/// Records an output without elements, which the program does not compute.
void OnnxImporter::recordEmptyOutput(const std::string &name, RankedTensorType type) {
  emitRemark(fileLoc) << "output '" << name << "' has no elements and is left out: " << type;
  llvm::SmallVector<NamedAttribute> all;
  if (auto recorded = (*module)->getAttrOfType<DictionaryAttr>(emptyOutputsAttrName))
    all.assign(recorded.begin(), recorded.end());
  all.push_back(builder.getNamedAttr(name, TypeAttr::get(type)));
  (*module)->setAttr(emptyOutputsAttrName, builder.getDictionaryAttr(all));
}

/// Adds the output `name`. Each value of a sequence is an output `name`.0, `name`.1, ….
bool OnnxImporter::returnOutput(const std::string &name, const Tensor &value,
                                llvm::SmallVectorImpl<Value> &results,
                                llvm::SmallVectorImpl<std::string> &names) {
  if (value.sequence && !value.isAbsent())
    return llvm::all_of(llvm::enumerate(*value.sequence), [&](auto entry) {
      return returnOutput(name + "." + std::to_string(entry.index()), entry.value(), results,
                          names);
    });
  if (value.isAbsent()) {
    emitError(fileLoc) << "output '" << name << "' is an optional value that does not exist";
    return false;
  }
  if (value.isEmpty()) {
    recordEmptyOutput(name, value.type);
    return true;
  }
  Emitter emit(builder, fileLoc, "output '" + name + "'");
  results.push_back(emit.materialize(value));
  names.push_back(name);
  return bool(results.back());
}

bool OnnxImporter::returnOutputs() {
  llvm::SmallVector<Value> results;
  llvm::SmallVector<std::string> outputs;
  llvm::StringSet<> names;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    if (!names.insert(output.name()).second) {
      emitError(fileLoc) << "expected output '" << output.name() << "' once, got it twice";
      return false;
    }
    auto value = values.find(output.name());
    if (value == values.end()) {
      emitError(fileLoc) << "output '" << output.name() << "' is not defined by any node";
      return false;
    }
    if (!returnOutput(output.name(), value->second, results, outputs))
      return false;
  }
  auto types = llvm::map_to_vector(results, [](Value value) { return value.getType(); });
  func::ReturnOp::create(builder, fileLoc, results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  for (auto [index, output] : llvm::enumerate(outputs))
    function.setResultAttr(index, graph::roleAttrName,
                           roleAttr(graph::RoleKind::Output, output, context));
  return true;
}

} // namespace pcc::import
