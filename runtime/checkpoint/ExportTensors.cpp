// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the file as the parameters of a program, which saveParameters joins and writes. A state
// is a parameter there, with the name of torch. One tensor is read at a time.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/TrainingStates.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/SaveParameters.h"
#include "runtime/checkpoint/Shards.h"
#include "runtime/checkpoint/StateNames.h"

#include <cstring>
#include <map>

namespace pcc::runtime {
namespace {

class Exporter {
public:
  Exporter(const std::string &folder, const abi::CheckpointManifest &manifest)
      : manifest(manifest), reader(folder, manifest) {}

  Status addParameters() {
    for (const abi::CheckpointTensor &tensor : manifest.tensors())
      if (tensor.state_of().empty())
        if (Status status = add(tensor, tensor.name(), tensor.part()); !status.ok())
          return status;
    return {};
  }

  /// Adds the states of parameters. A state of the training as a whole belongs to itself and has no
  /// place in torch's file.
  Status addStates() {
    Expected<float> updates = countUpdates();
    if (!updates)
      return updates.status();
    step = *updates;
    for (const abi::CheckpointTensor &tensor : manifest.tensors())
      if (!tensor.state_of().empty() && tensor.state_of() != tensor.name())
        if (Status status = addState(tensor); !status.ok())
          return status;
    for (const abi::CheckpointTensor &tensor : manifest.tensors())
      if (tensor.state_of().empty() && tensor.trainable())
        if (Status status = addStep(torchStepName(wholeName(tensor))); !status.ok())
          return status;
    return {};
  }

  Status write(const std::string &path) {
    return saveParameters(path, program,
                          [&](const abi::Parameter &parameter) { return read(parameter.name()); });
  }

private:
  /// Name of the tensor that files have: of the whole if this is a part.
  static const std::string &wholeName(const abi::CheckpointTensor &tensor) {
    return tensor.has_part() ? tensor.part().whole() : tensor.name();
  }

  Status addState(const abi::CheckpointTensor &tensor) {
    const std::string &owner = tensor.state_of();
    const abi::CheckpointTensor *parameter = findTensor(manifest, owner);
    std::string name = torchStateName(tensor.name(), owner);
    if (!parameter || name.empty())
      return Status::badInput(
          fmt::format("optimizer state '{}': expected a state that torch has, too, got another "
                      "one; convert without '--optimizer-states'",
                      tensor.name()));
    abi::ParameterPart part = parameter->part(); // earlier versions stored no part of a state
    if (parameter->has_part())
      part.set_whole(torchStateName(wholeName(*parameter) + tensor.name().substr(owner.size()),
                                    wholeName(*parameter)));
    return add(tensor, name, part);
  }

  /// Adds a tensor under a name. It is a part of another one if `part` names that.
  Status add(const abi::CheckpointTensor &tensor, const std::string &name,
             const abi::ParameterPart &part) {
    abi::Parameter &parameter = *program.add_parameters();
    parameter.set_name(name);
    parameter.set_trainable(tensor.trainable());
    parameter.mutable_block()->set_type(tensor.type());
    *parameter.mutable_block()->mutable_global_shape() = tensor.shape();
    if (!part.whole().empty())
      *parameter.mutable_part() = part;
    return addSource(name, &tensor);
  }

  /// Adds the number of updates of a parameter, a scalar, unless another part of it has done so.
  Status addStep(const std::string &name) {
    if (auto known = sources.find(name); known != sources.end() && !known->second)
      return {};
    abi::Parameter &parameter = *program.add_parameters();
    parameter.set_name(name);
    parameter.mutable_block()->set_type(abi::F32);
    return addSource(name, nullptr);
  }

  /// Fails if the file has a tensor of this name: a parameter that is called like a state.
  Status addSource(const std::string &name, const abi::CheckpointTensor *tensor) {
    if (sources.try_emplace(name, tensor).second)
      return {};
    return Status::badInput(fmt::format("'{}': expected no parameter that has the name of an "
                                        "optimizer state, got one; convert without "
                                        "'--optimizer-states'",
                                        name));
  }

  /// Returns the number of steps that have changed parameters.
  Expected<float> countUpdates() {
    int64_t skipped = 0;
    const abi::CheckpointTensor *tensor = findTensor(manifest, std::string(abi::skippedStepsState));
    if (tensor && tensor->state_of() == tensor->name() && tensor->type() == abi::I64)
      if (Status status = reader.read(*tensor, {}, reinterpret_cast<std::byte *>(&skipped));
          !status.ok())
        return status;
    return float(manifest.step() - skipped);
  }

  Expected<std::vector<std::byte>> read(const std::string &name) {
    const abi::CheckpointTensor *tensor = sources.at(name);
    if (!tensor) {
      std::vector<std::byte> bytes(sizeof step);
      std::memcpy(bytes.data(), &step, sizeof step);
      return bytes;
    }
    TensorBox all{std::vector<int64_t>(size_t(tensor->shape_size())),
                  {tensor->shape().begin(), tensor->shape().end()}};
    std::vector<std::byte> bytes(size_t(*abi::elementCount(tensor->shape())) *
                                 abi::elementBytes(tensor->type()));
    if (Status status = reader.read(*tensor, all, bytes.data()); !status.ok())
      return status;
    return bytes;
  }

  const abi::CheckpointManifest &manifest;
  SliceReader reader;
  abi::Program program;
  std::map<std::string, const abi::CheckpointTensor *> sources; ///< by name; null: the step
  float step = 0;
};

} // namespace

Status exportTensors(const std::string &folder, const abi::CheckpointManifest &manifest,
                     const std::string &path, bool withStates) {
  for (const abi::CheckpointShard &shard : manifest.shards())
    if (Status status = verifyShard(folder, shard); !status.ok())
      return status;
  Exporter exporter(folder, manifest);
  Status status = exporter.addParameters();
  if (status.ok() && withStates)
    status = exporter.addStates();
  if (!status.ok())
    return std::move(status).within(folder);
  return exporter.write(path);
}

} // namespace pcc::runtime
