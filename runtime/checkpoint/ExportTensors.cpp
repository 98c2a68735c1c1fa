// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the file as the parameters of a program, which saveParameters joins and writes. A state
// is a parameter there, with the name of torch. One tensor is read at a time.

#include "runtime/checkpoint/ExportTensors.h"

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

  void addParameters() {
    for (const abi::CheckpointTensor &tensor : manifest.tensors())
      if (tensor.state_of().empty())
        add(tensor, tensor.name(), tensor.part().whole());
  }

  /// Adds the states of parameters. A state of the training as a whole belongs to itself and has no
  /// place in torch's file.
  Status addStates() {
    Expected<float> updates = countUpdates();
    if (!updates)
      return updates.status();
    step = *updates;
    for (const abi::CheckpointTensor &tensor : manifest.tensors()) {
      const std::string &owner = tensor.state_of();
      if (owner.empty() || owner == tensor.name())
        continue;
      const abi::CheckpointTensor *parameter = findTensor(manifest, owner);
      std::string name = torchStateName(tensor.name(), owner);
      if (!parameter || name.empty())
        return Status::badInput(fmt::format(
            "optimizer state '{}': expected a state that torch has, too, got another one",
            tensor.name()));
      std::string whole;
      if (tensor.has_part())
        whole = torchStateName(tensor.part().whole(), parameter->part().whole());
      add(tensor, name, whole);
    }
    for (const abi::CheckpointTensor &tensor : manifest.tensors())
      if (tensor.state_of().empty() && tensor.trainable())
        addStep(torchStepName(tensor.has_part() ? tensor.part().whole() : tensor.name()));
    return {};
  }

  Status write(const std::string &path) {
    return saveParameters(path, program,
                          [&](const abi::Parameter &parameter) { return read(parameter.name()); });
  }

private:
  /// Adds a tensor under a name. `whole` is the name of the tensor of which it is a part.
  void add(const abi::CheckpointTensor &tensor, const std::string &name, const std::string &whole) {
    abi::Parameter &parameter = *program.add_parameters();
    parameter.set_name(name);
    parameter.set_trainable(tensor.trainable());
    parameter.mutable_block()->set_type(tensor.type());
    *parameter.mutable_block()->mutable_global_shape() = tensor.shape();
    if (tensor.has_part()) {
      *parameter.mutable_part() = tensor.part();
      parameter.mutable_part()->set_whole(whole);
    }
    sources[name] = &tensor;
  }

  /// Adds the number of updates of a parameter, a scalar, unless it is there.
  void addStep(const std::string &name) {
    if (!sources.try_emplace(name, nullptr).second)
      return;
    abi::Parameter &parameter = *program.add_parameters();
    parameter.set_name(name);
    parameter.mutable_block()->set_type(abi::F32);
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
  exporter.addParameters();
  if (Status status = withStates ? exporter.addStates() : Status(); !status.ok())
    return std::move(status).within(folder);
  return exporter.write(path);
}

} // namespace pcc::runtime
