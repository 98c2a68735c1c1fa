// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows MindSpore's documentation of merge_pipeline_strategys and transform_checkpoints. In a
// merged file a parameter is called STAGE-NAME.

#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"

#include "runtime/abi/files/WholeFile.h"
#include "runtime/checkpoint/mindspore/strategy.pb.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

namespace pcc::runtime {
namespace {

/// Upper bound of ranks and stages, far above any machine.
constexpr int64_t maxRanks = 1 << 20;

template <typename Numbers> int64_t product(const Numbers &numbers) {
  int64_t result = 1;
  for (int64_t number : numbers)
    result = number < 1 || number > maxRanks / result ? maxRanks + 1 : result * number;
  return std::min(result, maxRanks + 1);
}

template <typename Numbers> bool hasNumbers(const Numbers &numbers) {
  return std::ranges::any_of(numbers, [](int64_t number) { return number != 0; });
}

/// Returns what is wrong with a layout, or an empty string.
std::string findFault(const SliceLayout &layout) {
  if (layout.deviceMatrix.empty() || layout.ranks() > maxRanks)
    return fmt::format("expected a device matrix of 1 to {} ranks", maxRanks);
  auto isOutside = [&](int64_t dim) {
    return dim < -1 || dim >= int64_t(layout.deviceMatrix.size());
  };
  if (std::ranges::any_of(layout.tensorMap, isOutside))
    return "expected a tensor map with dimensions of the device matrix";
  if (layout.shards < 1 || layout.shardStep < 1 ||
      layout.ranks() % (layout.shardStep * layout.shards) != 0)
    return fmt::format("expected a sharded optimizer over a divisor of {} ranks, got {} ranks that "
                       "are {} apart",
                       layout.ranks(), layout.shards, layout.shardStep);
  return "";
}

/// Converts a layout of either form of file. Returns what is wrong, or an empty string.
template <typename Message, typename Numbers>
std::string convertLayout(const Message &message, const Numbers &devices, const Numbers &map,
                          bool hasUnequalSlices, SliceLayout &layout) {
  if (hasUnequalSlices || message.field() != 0)
    return "slices of different sizes and fields of embeddings are not supported; merge the files "
           "in "
           "MindSpore with 'transform_checkpoints'";
  layout.deviceMatrix.assign(devices.begin(), devices.end());
  layout.tensorMap.assign(map.begin(), map.end());
  if (std::ranges::any_of(layout.deviceMatrix, [](int64_t size) { return size < 1; }))
    return "expected a device matrix of positive sizes";
  int64_t step = message.opt_weight_shard_step(), size = message.opt_weight_shard_size();
  if (step > 0 && size != 0) {
    layout.shardStep = step;
    layout.shards = size < 0 ? layout.ranks() / step : size;
  }
  return findFault(layout);
}

std::string convert(const mindspore::ParallelLayouts &message, SliceLayout &layout) {
  if (message.dev_matrix_size() != 1 || message.tensor_map_size() != 1)
    return "expected one device matrix and one tensor map";
  auto isUnequal = [](const mindspore::Numbers &numbers) { return hasNumbers(numbers.dim()); };
  return convertLayout(message, message.dev_matrix(0).dim(), message.tensor_map(0).dim(),
                       std::ranges::any_of(message.param_split_shape(), isUnequal) ||
                           std::ranges::any_of(message.indices_offset(), isUnequal),
                       layout);
}

std::string convert(const mindspore::JsonLayout &message, SliceLayout &layout) {
  return convertLayout(
      message, message.dev_matrix(), message.tensor_map(),
      hasNumbers(message.param_split_shape()) || hasNumbers(message.indices_offset()), layout);
}

class LayoutReader {
public:
  Status read(const std::string &path) {
    Expected<std::string> content = abi::readFile(path);
    if (!content)
      return content.status();
    std::string wrong = path.ends_with(".json") ? readJson(*content) : readBinary(*content);
    return wrong.empty() ? Status() : Status::badInput(path + ": " + wrong);
  }

  /// Returns the layouts of the stages 0, 1, ….
  Expected<std::vector<StageLayouts>> finish() {
    std::vector<StageLayouts> result;
    for (auto &[stage, layouts] : stages) {
      if (stage != int64_t(result.size()))
        return Status::badInput(fmt::format(
            "--strategy: expected the strategy of stage {}, got none; give the files of all stages",
            result.size()));
      if (!result.empty() &&
          result.front().begin()->second.ranks() != layouts.begin()->second.ranks())
        return Status::badInput("--strategy: expected stages of equally many ranks");
      result.push_back(std::move(layouts));
    }
    return result;
  }

private:
  static constexpr const char *notStrategy =
      "expected a strategy file of MindSpore with layouts of parameters";

  std::string readBinary(const std::string &content) {
    mindspore::ParallelStrategyMap message;
    if (!message.ParseFromString(content) || message.parallel_layout_item().empty())
      return notStrategy;
    int64_t stage = 0;
    if (!message.parallel_strategy_item().empty())
      stage = message.parallel_strategy_item(0).parallel_strategys().stage();
    for (const mindspore::ParallelLayoutItem &item : message.parallel_layout_item())
      if (std::string wrong = add(stage, item.param_name(), item.parallel_layouts());
          !wrong.empty())
        return wrong;
    return "";
  }

  std::string readJson(const std::string &content) {
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    mindspore::JsonStrategyMap message;
    auto status = google::protobuf::util::JsonStringToMessage(content, &message, options);
    if (!status.ok())
      return fmt::format("{}: {}", notStrategy, status.message().as_string());
    if (message.parallel_layout_item().empty())
      return notStrategy;
    int64_t stage = 0;
    if (!message.parallel_strategy_item().empty())
      stage = message.parallel_strategy_item().begin()->second.stage();
    for (const auto &[name, layout] : message.parallel_layout_item())
      if (std::string wrong = add(stage, name, layout); !wrong.empty())
        return wrong;
    return "";
  }

  template <typename Message>
  std::string add(int64_t stage, std::string_view name, const Message &message) {
    size_t dash = name.find('-');
    int64_t named = 0;
    auto [end, error] =
        std::from_chars(name.data(), name.data() + std::min(dash, name.size()), named);
    if (dash != std::string_view::npos && error == std::errc() && end == name.data() + dash) {
      stage = named;
      name.remove_prefix(dash + 1);
    }
    SliceLayout layout;
    std::string wrong = convert(message, layout);
    StageLayouts &layouts = stages[stage];
    if (wrong.empty() && !layouts.empty() && layouts.begin()->second.ranks() != layout.ranks())
      wrong = "expected as many ranks as other parameters have";
    if (wrong.empty() && !layouts.try_emplace(std::string(name), layout).second)
      wrong = fmt::format("expected one layout in stage {}, got two", stage);
    return wrong.empty() ? "" : fmt::format("parameter '{}': {}", name, wrong);
  }

  std::map<int64_t, StageLayouts> stages;
};

} // namespace

int64_t SliceLayout::ranks() const { return product(deviceMatrix); }

Expected<PlacedSlice> placeSlice(const SliceLayout &layout, const std::vector<int64_t> &local,
                                 int64_t rank) {
  if (local.size() != layout.tensorMap.size())
    return Status::badInput(fmt::format("expected a tensor of {} dimensions, as its strategy has, "
                                        "got {}",
                                        layout.tensorMap.size(), local.size()));
  if (local.empty() && layout.shards > 1)
    return Status::badInput("expected a tensor that a sharded optimizer can split, got a number");
  std::vector<int64_t> counts(local.size(), 1), index(local.size(), 0);
  for (size_t d = 0; d < local.size(); ++d)
    if (int64_t map = layout.tensorMap[d]; map >= 0)
      counts[d] = layout.deviceMatrix[layout.deviceMatrix.size() - 1 - size_t(map)];
  if (layout.shards > 1) {
    // The slices of the tensor are numbered row-major within a group of `shardStep` ranks.
    if (product(counts) != layout.shardStep)
      return Status::badInput(
          fmt::format("expected a sharded optimizer with a step of {} ranks, got "
                      "{}",
                      product(counts), layout.shardStep));
    int64_t rest = rank % layout.shardStep;
    for (size_t d = local.size(); d-- > 0; rest /= counts[d])
      index[d] = rest % counts[d];
    index[0] = index[0] * layout.shards + rank / layout.shardStep % layout.shards;
    counts[0] *= layout.shards;
  } else {
    std::vector<int64_t> coordinates(layout.deviceMatrix.size());
    for (size_t d = layout.deviceMatrix.size(); d-- > 0; rank /= layout.deviceMatrix[d])
      coordinates[d] = rank % layout.deviceMatrix[d];
    for (size_t d = 0; d < local.size(); ++d)
      if (int64_t map = layout.tensorMap[d]; map >= 0)
        index[d] = coordinates[coordinates.size() - 1 - size_t(map)];
  }
  PlacedSlice slice{local, {index, local}};
  for (size_t d = 0; d < local.size(); ++d) {
    if (local[d] > (int64_t(1) << 40))
      return Status::badInput("expected a slice of fewer elements");
    slice.wholeShape[d] = local[d] * counts[d];
    slice.box.offsets[d] = local[d] * index[d];
  }
  return slice;
}

Expected<std::vector<StageLayouts>> readLayouts(std::span<const std::string> paths) {
  LayoutReader reader;
  for (const std::string &path : paths)
    if (Status status = reader.read(path); !status.ok())
      return status;
  return reader.finish();
}

} // namespace pcc::runtime
