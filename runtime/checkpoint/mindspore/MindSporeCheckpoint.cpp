// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every slice becomes a piece of its tensor, in the mapping of its file. Ranks that hold the same
// slice are compared; the lowest one counts. A tensor without a layout is whole on every rank.

#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/StateNames.h"
#include "runtime/checkpoint/mindspore/RankFiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace pcc::runtime {
namespace {

/// Tensors that describe the training as a whole. pcc keeps them elsewhere, or computes them.
constexpr std::array<std::string_view, 12> controlNames = {"epoch_num",
                                                           "step_num",
                                                           "global_step",
                                                           "learning_rate",
                                                           "momentum",
                                                           "beta1_power",
                                                           "beta2_power",
                                                           "loss_scale",
                                                           "scale_sense",
                                                           "current_iterator_step",
                                                           "last_overflow_iterator_step",
                                                           "random_op"};

bool isControl(std::string_view name) {
  return std::ranges::count(controlNames, name) != 0 || name.starts_with("learning_rate_group_");
}

/// A tensor that is being merged.
struct Merged {
  TensorInPieces tensor;
  int64_t stage = 0; ///< from which it is taken
  bool hasLayout = false;
  std::map<std::vector<int64_t>, size_t> places = {}; ///< index of the piece at each offset
  bool differs = false;
};

class Merger {
public:
  explicit Merger(std::vector<StageLayouts> layouts) : layouts(std::move(layouts)) {}

  /// Adds the file of a rank. Ranks come in ascending order.
  Status addFile(const std::string &path, int64_t rank) {
    Expected<CkptFile> file = readCkpt(path);
    if (!file)
      return file.status();
    files.push_back(file->file);
    int64_t stageRanks = layouts.empty() ? 1 : layouts.front().begin()->second.ranks();
    int64_t stage = rank / stageRanks;
    if (stage >= int64_t(std::max<size_t>(layouts.size(), 1)))
      return Status::badInput(
          fmt::format("{}: expected a rank below {}, as the strategy has, got {}", path,
                      stageRanks * int64_t(layouts.size()), rank));
    ranks.insert(rank);
    for (CkptTensor &tensor : file->tensors)
      if (Status status = add(tensor, stage, rank % stageRanks); !status.ok())
        return std::move(status).within(fmt::format("{}: '{}'", path, tensor.name));
    return {};
  }

  Expected<MindSporeCheckpoint> finish() {
    if (Status status = checkStages(); !status.ok())
      return status;
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
    result.files = std::move(files);
    return result;
  }

private:
  /// Adds a rank's slice. If several stages hold a tensor, that of the first one counts whose
  /// strategy has it.
  Status add(CkptTensor &tensor, int64_t stage, int64_t rankOfStage) {
    PlacedSlice slice{tensor.shape, {std::vector<int64_t>(tensor.shape.size()), tensor.shape}};
    const SliceLayout *layout = findLayout(tensor.name, stage);
    if (layout) {
      Expected<PlacedSlice> placed = placeSlice(*layout, tensor.shape, rankOfStage);
      if (!placed)
        return placed.status();
      slice = std::move(*placed);
    }
    auto [index, isNew] = indices.try_emplace(tensor.name, all.size());
    if (isNew)
      all.emplace_back();
    Merged &merged = all[index->second];
    if (isNew || (stage != merged.stage && layout && !merged.hasLayout))
      merged = {{tensor.name, tensor.type, slice.wholeShape, {}, ""}, stage, layout != nullptr};
    if (merged.stage != stage)
      return {};
    if (merged.tensor.type != tensor.type || merged.tensor.shape != slice.wholeShape)
      return Status::badInput(
          fmt::format("expected {}x{}, as of other ranks, got {}x{}",
                      fmt::join(merged.tensor.shape, "x"), abi::elementName(merged.tensor.type),
                      fmt::join(slice.wholeShape, "x"), abi::elementName(tensor.type)));
    addPiece(merged, slice.box, tensor);
    return {};
  }

  /// Returns the layout of a tensor in a stage, or null. A state that the strategy does not name is
  /// split like its parameter.
  const SliceLayout *findLayout(const std::string &name, int64_t stage) const {
    if (layouts.empty())
      return nullptr;
    const StageLayouts &own = layouts[size_t(stage)];
    auto layout = own.find(name);
    if (std::optional<OwnedState> state = parseMindSporeState(name, false);
        layout == own.end() && state)
      layout = own.find(state->owner);
    return layout == own.end() ? nullptr : &layout->second;
  }

  static void addPiece(Merged &merged, const TensorBox &box, CkptTensor &tensor) {
    if (tensor.chunks.empty())
      return;
    auto [place, isNew] = merged.places.try_emplace(box.offsets, merged.tensor.pieces.size());
    if (isNew)
      merged.tensor.pieces.push_back({box, std::move(tensor.chunks)});
    else
      merged.differs |= merged.tensor.pieces[place->second].chunks != tensor.chunks;
  }

  /// Checks that every parameter of the strategies is there.
  Status checkStages() const {
    for (size_t stage = 0; stage < layouts.size(); ++stage)
      for (const auto &[name, layout] : layouts[stage])
        if (!find(name))
          return Status::badInput(fmt::format(
              "'{}': expected slices of it, since the strategy of stage {} has it, got none; the "
              "files are those of the ranks {}",
              name, stage, fmt::join(ranks, ", ")));
    return {};
  }

  Status checkCovered(const TensorInPieces &tensor) const {
    std::optional<int64_t> count = abi::elementCount(tensor.shape);
    if (!count)
      return Status::badInput(fmt::format("'{}': expected fewer elements, got {}", tensor.name,
                                          fmt::join(tensor.shape, "x")));
    int64_t covered = 0;
    for (const TensorPiece &piece : tensor.pieces)
      covered += *abi::elementCount(piece.box.shape);
    return covered == *count
               ? Status()
               : Status::badInput(fmt::format("'{}': expected slices of {} elements, got {}; the "
                                              "files are those of the ranks {}",
                                              tensor.name, *count, covered,
                                              fmt::join(ranks, ", ")));
  }

  const TensorInPieces *find(const std::string &name) const {
    auto found = indices.find(name);
    return found == indices.end() ? nullptr : &all[found->second].tensor;
  }

  /// Returns the number of steps: of the optimizer, or of the run. Some versions of MindSpore leave
  /// that of the optimizer at 0, unless a rate depends on it.
  int64_t findStep() const {
    for (const char *name : {"global_step", "step_num"})
      if (const TensorInPieces *tensor = find(name); tensor && tensor->pieces.size() == 1)
        if (int64_t step = readInteger(*tensor).value_or(0); step > 0)
          return step;
    return 0;
  }

  static std::optional<int64_t> readInteger(const TensorInPieces &tensor) {
    std::string_view bytes = tensor.pieces.front().chunks.front();
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
      if (isControl(name) || isUnusedOfSgd(name))
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

  /// Whether MindSpore's SGD keeps this beside the parameter NAME, and no training needs it:
  /// `stat.NAME` says whether NAME has had its first step, and `accum.NAME` has no meaning without
  /// momentum.
  bool isUnusedOfSgd(const std::string &name) const {
    size_t dot = name.find('.');
    if (dot == std::string::npos || !find("stat" + name.substr(dot)) || !find(name.substr(dot + 1)))
      return false;
    const TensorInPieces *momentum = find("momentum");
    bool hasNone = momentum && momentum->type == abi::F32 && momentum->pieces.size() == 1 &&
                   momentum->pieces.front().chunks.front() == std::string_view("\0\0\0\0", 4);
    return name.starts_with("stat.") || (name.starts_with("accum.") && hasNone);
  }

  std::vector<StageLayouts> layouts; ///< by stage; empty: one rank has everything
  std::set<int64_t> ranks;
  std::vector<Merged> all;
  std::map<std::string, size_t> indices; ///< by name, into `all`
  std::vector<std::shared_ptr<const MappedFile>> files;
};

} // namespace

Status MindSporeCheckpoint::checkRead() const {
  for (const std::shared_ptr<const MappedFile> &file : files)
    if (Status status = file->finishRead(0); !status.ok())
      return status;
  return {};
}

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
