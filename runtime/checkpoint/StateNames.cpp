// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/StateNames.h"

#include <algorithm>
#include <array>

namespace pcc::runtime {
namespace {

/// The last word of a state's name in pcc and in torch.
struct TorchState {
  std::string_view suffix, torch;
};

constexpr std::array<TorchState, 4> torchStates = {{
    {"moment1", "exp_avg"},
    {"moment2", "exp_avg_sq"},
    {"velocity", "momentum_buffer"},
    {"accumulator", "sum"},
}};

/// The last word of a state's name in pcc, and the first one in MindSpore.
struct MindSporeState {
  std::string_view suffix, prefix;
};

constexpr std::array<MindSporeState, 8> mindSporeStates = {{
    {"moment1", "moment1"}, // Adam
    {"moment2", "moment2"},
    {"moment1", "adam_m"}, // AdamWeightDecay
    {"moment2", "adam_v"},
    {"moment1", "lamb_m"}, // Lamb
    {"moment2", "lamb_v"},
    {"velocity", "moments"},  // Momentum
    {"accumulator", "accum"}, // Adagrad
}};

constexpr std::string_view torchPrefix = "state.", stepSuffix = "step";

OwnedState makeState(std::string_view owner, std::string_view suffix) {
  return {std::string(owner), std::string(owner).append(".").append(suffix)};
}

/// The words before and behind the last dot of a name that begins with "state.".
struct TorchName {
  std::string_view owner, word;
};

std::optional<TorchName> splitTorchName(std::string_view name) {
  if (!name.starts_with(torchPrefix))
    return std::nullopt;
  name.remove_prefix(torchPrefix.size());
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  return TorchName{name.substr(0, dot), name.substr(dot + 1)};
}

} // namespace

std::optional<OwnedState> parseTorchState(std::string_view name) {
  std::optional<TorchName> split = splitTorchName(name);
  auto row = std::ranges::find(torchStates, split ? split->word : "", &TorchState::torch);
  if (row == torchStates.end())
    return std::nullopt;
  return makeState(split->owner, row->suffix);
}

std::optional<std::string> parseTorchStep(std::string_view name) {
  std::optional<TorchName> split = splitTorchName(name);
  if (!split || split->word != stepSuffix)
    return std::nullopt;
  return std::string(split->owner);
}

std::string torchStateName(std::string_view name, std::string_view owner) {
  auto isRow = [&](const TorchState &row) { return name == makeState(owner, row.suffix).name; };
  auto row = std::ranges::find_if(torchStates, isRow);
  if (row == torchStates.end())
    return "";
  return std::string(torchPrefix).append(owner).append(".").append(row->torch);
}

std::string torchStepName(std::string_view owner) {
  return std::string(torchPrefix).append(owner).append(".").append(stepSuffix);
}

std::optional<OwnedState> parseMindSporeState(std::string_view name, bool isMomentum) {
  size_t dot = name.find('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  auto row = std::ranges::find(mindSporeStates, name.substr(0, dot), &MindSporeState::prefix);
  if (row == mindSporeStates.end())
    return std::nullopt;
  bool isVelocity = isMomentum && row->prefix == "accum";
  return makeState(name.substr(dot + 1), isVelocity ? "velocity" : row->suffix);
}

} // namespace pcc::runtime
