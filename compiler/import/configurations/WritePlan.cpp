// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the plan of each node from the program's ops, then edits the parsed file: declares the
// configuration, and replaces each node's entry for it. A tensor on which ops of its node disagree
// gets no spec. A node with ops in several stages gets no entry.

#include "compiler/import/configurations/DeviceConfigurations.h"
#include "compiler/import/configurations/DeviceShardings.h"
#include "compiler/import/files/Locations.h"
#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/onnx.pb.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/names/FileTensorUses.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/pipeline/OpSections.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using pcc::analysis::FileNodes;
using pcc::analysis::FileTensorUse;
using pcc::dist::Sharding;

namespace pcc::import {
namespace {

/// Version of the file format that has configurations for several devices.
constexpr int64_t minVersion = 11;

constexpr StringLiteral defaultName = "pcc";

/// The plan of one node.
struct NodePlan {
  /// Sharding by tensor; nothing if ops of the node disagree.
  llvm::MapVector<StringRef, std::optional<Sharding>> shardings;
  std::optional<int64_t> stage;
  bool isInStages = false; ///< has ops in several pipeline stages
};

class PlanWriter {
public:
  PlanWriter(ModuleOp module, onnx::ModelProto &model, std::string name,
             const order::PipelineShape &shape)
      : module(module), model(model), name(std::move(name)), shape(shape),
        mesh(dist::getMesh(module)) {}

  LogicalResult run(const FileNodes &file) {
    func::FuncOp function = analysis::findPlannedFunction(module);
    for (const FileTensorUse &use : analysis::findFileTensorUses(function, file))
      addUse(use);
    if (shape.devices > 1 && failed(addStages(function)))
      return failure();
    declareConfiguration();
    for (auto [index, node] : llvm::enumerate(*model.mutable_graph()->mutable_node()))
      annotate(static_cast<int64_t>(index), node);
    return success();
  }

private:
  void addUse(const FileTensorUse &use) {
    Sharding own = use.isResult ? analysis::getSharding(use.op->getResult(use.index))
                                : analysis::getOperandSharding(use.op, use.index);
    Sharding sharding = use.toTensor(own.withoutPartial());
    auto [entry, isNew] = plans[use.node].shardings.try_emplace(use.tensor, sharding);
    if (!isNew && entry->second != sharding)
      entry->second.reset();
  }

  LogicalResult addStages(func::FuncOp function) {
    pipeline::ParameterVirtualStages parameters;
    for (auto parameter : module.getOps<graph::ParameterOp>())
      if (auto stage = parameter->getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName))
        parameters[parameter.getSymName()] = stage.getInt();
    auto stages = pipeline::VirtualStageMap::find(function, parameters);
    if (failed(stages))
      return failure();
    for (const auto &[op, nodes] : analysis::findNodesByOp(function, model.graph().node_size()))
      if (std::optional<int64_t> stage = stages->virtualStageOf(op))
        for (int64_t node : nodes)
          addStage(node, shape.deviceOf(static_cast<int>(*stage)));
    return success();
  }

  void addStage(int64_t node, int64_t stage) {
    NodePlan &plan = plans[node];
    plan.isInStages |= plan.stage.value_or(stage) != stage;
    plan.stage = stage;
  }

  /// Replaces the configuration of the name, and its mesh.
  void declareConfiguration() {
    if (model.ir_version() < minVersion)
      model.set_ir_version(minVersion);
    onnx::DeviceConfigurationProto *own = nullptr;
    for (onnx::DeviceConfigurationProto &known : *model.mutable_configuration())
      if (known.name() == name)
        own = &known;
    if (!own)
      own = model.add_configuration();
    own->Clear();
    own->set_name(name);
    own->set_num_devices(static_cast<int32_t>(mesh.getNumRanks() * shape.devices));
    onnx::StringStringEntryProto *property = nullptr;
    for (onnx::StringStringEntryProto &known : *model.mutable_metadata_props())
      if (known.key() == getMeshProperty(name))
        property = &known;
    if (!property)
      property = model.add_metadata_props();
    property->set_key(getMeshProperty(name));
    property->set_value(mesh.str());
  }

  void annotate(int64_t index, onnx::NodeProto &node) {
    auto &entries = *node.mutable_device_configurations();
    for (int position = entries.size() - 1; position >= 0; --position)
      if (entries.Get(position).configuration_id() == name)
        entries.DeleteSubrange(position, 1);
    auto plan = plans.find(index);
    if (plan == plans.end())
      return;
    onnx::NodeDeviceConfigurationProto entry;
    entry.set_configuration_id(name);
    if (plan->second.stage && !plan->second.isInStages)
      entry.set_pipeline_stage(static_cast<int32_t>(*plan->second.stage));
    int64_t firstDevice = plan->second.stage.value_or(0) * mesh.getNumRanks();
    for (const auto &[tensor, sharding] : plan->second.shardings) {
      if (!sharding || plan->second.isInStages)
        continue;
      onnx::ShardingSpecProto &spec = *entry.add_sharding_spec();
      spec.set_tensor_name(tensor.str());
      fillSpec(*sharding, mesh, firstDevice, spec);
    }
    if (entry.sharding_spec_size() > 0 || entry.has_pipeline_stage())
      *entries.Add() = std::move(entry);
  }

  ModuleOp module;
  onnx::ModelProto &model;
  std::string name;
  order::PipelineShape shape;
  dist::Mesh mesh;
  std::map<int64_t, NodePlan> plans;
};

/// Returns whether a tensor in `message` has its data in another file.
bool hasExternalData(const google::protobuf::Message &message) {
  if (message.GetDescriptor() == onnx::TensorProto::descriptor())
    return static_cast<const onnx::TensorProto &>(message).external_data_size() > 0;
  const google::protobuf::Reflection &reflection = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor *> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor *field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    if (!field->is_repeated() && hasExternalData(reflection.GetMessage(message, field)))
      return true;
    for (int index = 0; field->is_repeated() && index < reflection.FieldSize(message, field);
         ++index)
      if (hasExternalData(reflection.GetRepeatedMessage(message, field, index)))
        return true;
  }
  return false;
}

StringRef getFolder(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

} // namespace

FailureOr<std::string> encodePlan(ModuleOp module, const PlanFile &file,
                                  const order::PipelineShape &pipeline) {
  std::optional<FileNodes> nodes = FileNodes::read(module);
  std::unique_ptr<onnx::ModelProto> model = readOnnxFile(file.model, *module.getContext());
  if (!model || !nodes)
    return failure();
  Location loc = fileLocation(file.output, *module.getContext());
  if (!llvm::sys::fs::equivalent(getFolder(file.model), getFolder(file.output)) &&
      hasExternalData(*model))
    return emitError(loc) << "the weights of '" << file.model
                          << "' are in other files beside it, to which a model refers by name: "
                             "expected an output in the folder '"
                          << getFolder(file.model) << "'";
  std::string name = file.configuration;
  if (name.empty() && model->configuration_size() == 1)
    name = model->configuration(0).name();
  PlanWriter writer(module, *model, name.empty() ? defaultName.str() : name, pipeline);
  if (failed(writer.run(*nodes)))
    return failure();
  return model->SerializeAsString();
}

} // namespace pcc::import
