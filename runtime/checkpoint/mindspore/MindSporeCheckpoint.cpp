// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every slice becomes a piece of its tensor, in the mapping of its file. Ranks that hold the same
// slice are compared; the lowest one counts. A tensor without a layout is whole on every rank.

#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/StateNames.h"
#include "runtime/checkpoint/mindspore/RankFiles.h"
#include "runtime/checkpoint/mindspore/SliceLayout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace pcc::runtime {
namespace {

/// Tensors that describe the training as a whole. pcc keeps them elsewhere, or computes them.
constexpr std::array<std::string_view, 11> controlNames = {"epoch_num",
                                                           "step_num",
                                                           "global_step",
                                                           "learning_rate",
                                                           "beta1_power",
                                                           "beta2_power",
                                                           "loss_scale",
                                                           "scale_sense",
                                                           "current_iterator_step",
                                                           "last_overflow_iterator_step",
                                                           "random_op"};

bool isControl(std::string_view name) { return std::ranges::count(controlNames, name) != 0; }

/// A tensor that is being merged.
struct Merged {
  TensorInPieces tensor;
  int64_t stage = 0;                             ///< the first one that has it
  std::map<std::vector<int64_t>, size_t> places; ///< index of the piece at each offset
  bool differs = false;
};

class Merger {
public:
  explicit Merger(std::vector<StageLayouts> layouts) : layouts(std::move(layouts)) {}

  /// Adds the file of a rank. Ranks come in ascending order.
  Status addFile(const std::string &path, int64_t rank) {
    Expected<std::vector<CkptTensor>> tensors = readCkpt(path);
    if (!tensors)
      return tensors.status();
    int64_t stageRanks = layouts.empty() ? 1 : layouts.front().begin()->second.ranks();
    int64_t stage = rank / stageRanks;
    if (stage >= int64_t(std::max<size_t>(layouts.size(), 1)))
      return Status::badInput(
          fmt::format("{}: expected a rank below {}, as the strategy has, got {}", path,
                      stageRanks * int64_t(layouts.size()), rank));
    ranks.insert(rank);
    for (CkptTensor &tensor : *tensors)
      if (Status status = add(tensor, stage, rank % stageRanks); !status.ok())
        return std::move(status).within(fmt::format("{}: '{}'", path, tensor.name));
    return {};
  }

  Expected<MindSporeCheckpoint> finish() {
    for (const Merged &merged : all)
      if (Status status = checkCovered(merged.tensor); !status.ok())
        return status;
    MindSporeCheckpoint result;
    result.step = findStep();
    for (const Merged &merged : all)
      if (merged.differs && !isControl(merged.tensor.name))
        result.warnings.push_back(fmt::format(
            "'{}' differs between ranks that should hold the same values; those of the lowest rank "
            "are taken",
            merged.tensor.name));
    copyTensors(result);
    result.owners = std::move(owners);
    return result;
  }

private:
  Status add(CkptTensor &tensor, int64_t stage, int64_t rankOfStage) {
    PlacedSlice slice{tensor.shape, {std::vector<int64_t>(tensor.shape.size()), tensor.shape}};
    if (!layouts.empty()) {
      const StageLayouts &own = layouts[size_t(stage)];
      if (auto layout = own.find(tensor.name); layout != own.end()) {
        Expected<PlacedSlice> placed = placeSlice(layout->second, tensor.shape, rankOfStage);
        if (!placed)
          return placed.status();
        slice = std::move(*placed);
      }
    }
    auto [index, isNew] = indices.try_emplace(tensor.name, all.size());
    if (isNew)
      all.push_back({{tensor.name, tensor.type, slice.wholeShape, {}, ""}, stage, {}, false});
    Merged &merged = all[index->second];
    if (merged.stage != stage)
      return {}; // shared by stages
    if (merged.tensor.type != tensor.type || merged.tensor.shape != slice.wholeShape)
      return Status::badInput("expected the type and the shape that it has on other ranks");
    addPiece(merged, slice.box, tensor);
    owners.push_back(std::move(tensor.owner));
    return {};
  }

  static void addPiece(Merged &merged, const TensorBox &box, const CkptTensor &tensor) {
    if (tensor.bytes.empty())
      return;
    auto [place, isNew] = merged.places.try_emplace(box.offsets, merged.tensor.pieces.size());
    if (isNew)
      merged.tensor.pieces.push_back({box, tensor.bytes});
    else
      merged.differs |= merged.tensor.pieces[place->second].bytes != tensor.bytes;
  }

  Status checkCovered(const TensorInPieces &tensor) const {
    int64_t covered = 0;
    for (const TensorPiece &piece : tensor.pieces)
      covered += *abi::elementCount(piece.box.shape);
    int64_t count = abi::elementCount(tensor.shape).value_or(-1);
    return covered == count
               ? Status()
               : Status::badInput(fmt::format("'{}': expected slices of {} elements, got {}; the "
                                              "files are those of the ranks "
                                              "{}",
                                              tensor.name, count, covered, fmt::join(ranks, ", ")));
  }

  const TensorInPieces *find(const std::string &name) const {
    auto found = indices.find(name);
    return found == indices.end() ? nullptr : &all[found->second].tensor;
  }

  /// Returns the number of steps: of the optimizer, or of the run if the optimizer has none.
  int64_t findStep() const {
    for (const char *name : {"global_step", "step_num"})
      if (const TensorInPieces *tensor = find(name); tensor && tensor->pieces.size() == 1)
        if (std::optional<int64_t> step = readInteger(*tensor))
          return *step;
    return 0;
  }

  static std::optional<int64_t> readInteger(const TensorInPieces &tensor) {
    std::string_view bytes = tensor.pieces.front().bytes;
    int32_t narrow = 0;
    int64_t wide = 0;
    if (tensor.type == abi::I32 && bytes.size() == sizeof narrow) {
      std::memcpy(&narrow, bytes.data(), sizeof narrow);
      wide = narrow;
    } else if (tensor.type == abi::I64 && bytes.size() == sizeof wide) {
      std::memcpy(&wide, bytes.data(), sizeof wide);
    } else {
      return std::nullopt;
    }
    return wide < 0 ? std::nullopt : std::optional(wide);
  }

  /// Copies the tensors to `result`: parameters, then states. An integer that is no tensor was
  /// added by the user (append_dict).
  void copyTensors(MindSporeCheckpoint &result) const {
    std::vector<TensorInPieces> states;
    for (const Merged &merged : all) {
      const std::string &name = merged.tensor.name;
      if (isControl(name) || isFlagOfSgd(name))
        continue;
      if (merged.tensor.shape.empty() && !abi::isFloat(merged.tensor.type)) {
        result.warnings.push_back(
            fmt::format("'{}' is left out: a number that belongs to no parameter", name));
        continue;
      }
      std::optional<OwnedState> state = findState(name);
      TensorInPieces tensor = merged.tensor;
      if (state) {
        tensor.name = state->name;
        tensor.stateOf = state->owner;
      }
      (state ? states : result.tensors).push_back(std::move(tensor));
    }
    std::ranges::move(states, std::back_inserter(result.tensors));
  }

  /// Returns the state that a tensor is. A state has the shape of its parameter.
  std::optional<OwnedState> findState(const std::string &name) const {
    size_t dot = name.find('.');
    bool isMomentum = dot != std::string::npos && find("stat" + name.substr(dot));
    std::optional<OwnedState> state = parseMindSporeState(name, isMomentum);
    const TensorInPieces *owner = state ? find(state->owner) : nullptr;
    return owner && owner->shape == find(name)->shape ? state : std::nullopt;
  }

  /// Whether this is `stat.NAME` of MindSpore's SGD: says whether NAME has had its first step.
  bool isFlagOfSgd(const std::string &name) const {
    return name.starts_with("stat.") && find("accum" + name.substr(4)) && find(name.substr(5));
  }

  std::vector<StageLayouts> layouts; ///< by stage; empty: one rank has everything
  std::set<int64_t> ranks;
  std::vector<Merged> all;
  std::map<std::string, size_t> indices; ///< by name, into `all`
  std::vector<std::shared_ptr<const void>> owners;
};

} // namespace

Expected<MindSporeCheckpoint> readMindSpore(const std::string &path,
                                            std::span<const std::string> strategies) {
  std::map<int64_t, std::string> files = {{0, path}};
  if (isFolder(path)) {
    Expected<std::map<int64_t, std::string>> found = findRankFiles(path);
    if (!found)
      return found.status();
    files = std::move(*found);
    if (strategies.empty() && files.size() > 1)
      return Status::badUsage(
          fmt::format("'{}' has files of {} ranks: expected '--strategy' with the strategy file of "
                      "each pipeline stage, got none",
                      path, files.size()));
  } else if (!strategies.empty()) {
    return Status::badUsage(
        fmt::format("'--strategy': expected a folder with files of ranks, got '{}'", path));
  }
  Expected<std::vector<StageLayouts>> layouts = readLayouts(strategies);
  if (!layouts)
    return layouts.status();
  Merger merger(std::move(*layouts));
  for (const auto &[rank, file] : files)
    if (Status status = merger.addFile(file, rank); !status.ok())
      return status;
  return merger.finish();
}

} // namespace pcc::runtime
