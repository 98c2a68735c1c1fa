// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for each parameter of the program in the checkpoint, then for each tensor of the checkpoint
// in the program.

#include "runtime/checkpoint/MatchModel.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/ParameterParts.h"
#include "runtime/abi/program/TrainingStates.h"
#include "runtime/checkpoint/Manifest.h"

#include <algorithm>
#include <set>
#include <string>

namespace pcc::runtime {
namespace {

template <typename Shape>
std::string describe(abi::ElementType type, const Shape &shape) { // 512x784xf32
  std::string text;
  for (int64_t extent : shape)
    text += fmt::format("{}x", extent);
  return text + std::string(abi::elementName(type));
}

std::string nameKind(const std::string &stateOf) {
  return stateOf.empty() ? "parameter" : fmt::format("optimizer state of '{}',", stateOf);
}

/// Returns whether a parameter, or a tensor of a checkpoint, is a state that a training can miss.
template <typename Stored> bool isReport(const Stored &stored) {
  return !stored.state_of().empty() && abi::isReportOnly(stored.name());
}

Status compare(const abi::CheckpointManifest &manifest, const abi::Parameter &parameter) {
  const abi::CheckpointTensor *tensor = findStored(manifest, parameter);
  const abi::Block &block = parameter.block();
  bool isWhole = tensor && tensor->name() != parameter.name();
  std::string expected =
      describe(block.type(), isWhole ? parameter.part().shape() : block.global_shape());
  // A checkpoint made from a file of another program has no states of the training as a whole.
  bool isOfTraining = parameter.state_of() == parameter.name() && !manifest.has_data();
  bool isLeftOut = isOfTraining || (manifest.parameters_only() && !parameter.state_of().empty());
  if (!tensor && (isLeftOut || isReport(parameter)))
    return {};
  if (!tensor)
    return Status::badInput(fmt::format(
        "expected the {} '{}' of {}, got none; continue with the model and the optimizer that were "
        "trained",
        nameKind(parameter.state_of()), parameter.name(), expected));
  if (std::string got = describe(tensor->type(), tensor->shape()); got != expected)
    return Status::badInput(fmt::format(
        "'{}': expected {}, got {}; continue with the model that was trained, in the same sizes",
        isWhole ? tensor->name() : parameter.name(), expected, got));
  return {};
}

} // namespace

const abi::CheckpointTensor *findStored(const abi::CheckpointManifest &manifest,
                                        const abi::Parameter &parameter) {
  const abi::CheckpointTensor *own = findTensor(manifest, parameter.name());
  return own || !parameter.has_part() ? own : findTensor(manifest, abi::nameInFiles(parameter));
}

Status matchModel(const abi::CheckpointManifest &manifest, const abi::Executable &executable) {
  std::set<std::string> names;
  bool trains = false;
  for (const abi::Program &program : executable.programs()) {
    trains |= program.actions_size() != 0;
    for (const abi::Parameter &parameter : program.parameters())
      if (names.insert(parameter.name()).second) {
        if (Status status = compare(manifest, parameter); !status.ok())
          return status;
        names.insert(abi::nameInFiles(parameter));
      }
  }
  for (const abi::CheckpointTensor &tensor : manifest.tensors())
    if (!names.contains(tensor.name()) && !isReport(tensor) &&
        (trains || tensor.state_of().empty()))
      return Status::badInput(
          fmt::format("expected only what the program has, got the {} '{}'; continue with the "
                      "model and the optimizer that were trained",
                      nameKind(tensor.state_of()), tensor.name()));
  return {};
}

} // namespace pcc::runtime
