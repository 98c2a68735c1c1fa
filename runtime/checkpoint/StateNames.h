// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of optimizer states in pcc, in torch and in MindSpore. torch's are those of a flattened
// state dict of an optimizer (StateDictOptions.flatten_optimizer_state_dict).
//
//   pcc                  torch                         MindSpore
//   fc.weight.moment1    state.fc.weight.exp_avg       moment1.fc.weight
//   fc.weight.velocity   state.fc.weight.momentum_buffer  moments.fc.weight, or accum. of SGD
//                        state.fc.weight.step          global_step

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pcc::runtime {

/// An optimizer state, and the parameter that it belongs to.
struct OwnedState {
  std::string owner;
  std::string name; ///< of the state in pcc
};

/// Returns the state that torch calls `name`; nothing for other names.
std::optional<OwnedState> parseTorchState(std::string_view name);

/// Returns the parameter whose number of updates torch calls `name`; nothing for other names.
std::optional<std::string> parseTorchStep(std::string_view name);

/// Returns torch's name of the state `name` of `owner`; empty if torch has no such state.
std::string torchStateName(std::string_view name, std::string_view owner);

/// Returns torch's name of the number of updates of `owner`.
std::string torchStepName(std::string_view owner);

/// Returns the state that MindSpore calls `name`; nothing for other names. `isMomentum` says
/// whether `accum.` is the momentum of MindSpore's SGD; else it is a state of Adagrad.
std::optional<OwnedState> parseMindSporeState(std::string_view name, bool isMomentum);

} // namespace pcc::runtime
