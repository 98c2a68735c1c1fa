// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects a parser and a printer from a table of suffixes; the last suffix is empty and matches
// every name. The checksum is the hash of the message without its checksum field. A group is
// described by its program and the offsets of its parameter blocks. One map from description to
// group collects all groups in a single pass over the ranks.

#include "runtime/abi/files/StrategyFile.h"

#include "runtime/abi/ParseText.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/abi/program/ProgramRanks.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <map>

namespace pcc::abi {
namespace {

/// Returns the hash of a strategy without its checksum.
uint64_t checksumOf(Strategy strategy) {
  strategy.clear_checksum();
  return fingerprintOf(strategy.SerializeAsString());
}

/// Parses the binary format. Returns the problem, or an empty string.
std::string parseBinary(const std::string &content, Strategy &strategy) {
  if (!strategy.ParseFromString(content) || strategy.checksum() != checksumOf(strategy))
    return " is no strategy, or is damaged";
  strategy.clear_checksum();
  return "";
}

std::string parseTextproto(const std::string &content, Strategy &strategy) {
  std::optional<TextError> error = parseText(content, strategy);
  return error ? fmt::format(":{}:{}: {}", error->line, error->column, error->message) : "";
}

std::string parseJson(const std::string &content, Strategy &strategy) {
  auto status = google::protobuf::util::JsonStringToMessage(content, &strategy);
  return status.ok() ? "" : ": " + status.ToString();
}

/// Prints the binary format to `content`. Returns whether it could.
bool printBinary(const Strategy &strategy, std::string &content) {
  Strategy summed = strategy;
  summed.set_checksum(checksumOf(strategy));
  return summed.SerializeToString(&content);
}

template <typename Message> bool printText(const Message &message, std::string &content) {
  return google::protobuf::TextFormat::PrintToString(message, &content);
}

template <typename Message> bool printJson(const Message &message, std::string &content) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  return google::protobuf::util::MessageToJsonString(message, &content, options).ok();
}

/// One format of the file.
struct Format {
  std::string_view suffix;
  std::string (*parse)(const std::string &content, Strategy &strategy);
  bool (*print)(const Strategy &strategy, std::string &content);
};

constexpr Format formats[] = {
    {".json", parseJson, printJson<Strategy>},
    {".textproto", parseTextproto, printText<Strategy>},
    {"", parseBinary, printBinary},
};

const Format &formatOf(const std::string &path) {
  const Format *format = formats;
  while (!path.ends_with(format->suffix))
    ++format;
  return *format;
}

} // namespace

/// Returns what is wrong with the numbers of a strategy, or an empty string.
static std::string findWrongNumber(const Strategy &strategy) {
  auto isBelowOne = [](int64_t number) { return number < 1; };
  auto isWrong = [&](const TensorStrategy &tensor) {
    return std::ranges::any_of(tensor.counts(), isBelowOne);
  };
  for (const ParameterStrategy &parameter : strategy.parameter()) {
    bool hasSlices = parameter.slice_shape_size() > 0;
    if (hasSlices && parameter.slice_shape_size() != parameter.shape_size())
      return fmt::format("parameter '{}': expected {} sizes of a slice, got {}", parameter.name(),
                         parameter.shape_size(), parameter.slice_shape_size());
    for (int i = 0; hasSlices && i < parameter.shape_size(); ++i)
      if (int64_t size = parameter.shape(i), slice = parameter.slice_shape(i);
          size < 1 || slice < 1 || size % slice != 0)
        return fmt::format("parameter '{}': expected a slice whose size divides {}, got {}",
                           parameter.name(), size, slice);
  }
  for (const InputStrategy &input : strategy.input())
    if (isWrong(input.fed()))
      return fmt::format("input '{}': expected positive numbers of blocks", input.name());
  for (const OpStrategy &op : strategy.op())
    if (std::ranges::any_of(op.input(), isWrong) || std::ranges::any_of(op.output(), isWrong))
      return fmt::format("op '{}': expected positive numbers of blocks", op.name());
  return "";
}

Expected<Strategy> readStrategy(const std::string &path) {
  Expected<std::string> content = readFile(path);
  if (!content)
    return content.status();
  Strategy strategy;
  std::string wrong = formatOf(path).parse(*content, strategy);
  if (wrong.empty() && strategy.fingerprint().model().empty())
    wrong = ": expected a fingerprint of the model, got none";
  if (std::string number = findWrongNumber(strategy); wrong.empty() && !number.empty())
    wrong = ": " + number;
  if (!wrong.empty())
    return Status::badInput(path + wrong);
  return strategy;
}

Status writeStrategy(const Strategy &strategy, const std::string &path) {
  std::string content;
  if (!formatOf(path).print(strategy, content))
    return Status::badInput(path + ": cannot print the strategy");
  return writeFile(path, content);
}

/// Describes what one rank holds by its program and the offsets of its blocks. The rank number is
/// added if the rank has a parameter of `ownParameters`.
static std::vector<int64_t> describeHeld(const Executable &executable, int64_t rank,
                                         const std::set<std::string> &ownParameters) {
  int index = programOfRank(executable, rank);
  const Program &program = executable.programs(index);
  std::vector<int64_t> held = {index};
  bool hasOwn = false;
  for (const Parameter &parameter : program.parameters()) {
    std::vector<int64_t> offsets = offsetsOf(parameter.block(), executable.mesh(), rank);
    held.insert(held.end(), offsets.begin(), offsets.end());
    hasOwn = hasOwn || ownParameters.contains(parameter.name());
  }
  if (hasOwn)
    held.push_back(rank);
  return held;
}

CheckpointGroups findCheckpointGroups(const Executable &executable,
                                      const std::set<std::string> &ownParameters) {
  CheckpointGroups groups;
  std::map<std::vector<int64_t>, CheckpointGroup *> known;
  for (int64_t rank = 0; rank < rankCount(executable.mesh()); ++rank) {
    CheckpointGroup *&group = known[describeHeld(executable, rank, ownParameters)];
    if (!group)
      group = groups.add_group();
    group->add_rank(uint32_t(rank));
  }
  return groups;
}

Status writeCheckpointGroups(const CheckpointGroups &groups, const std::string &path) {
  std::string text;
  bool isPrinted = path.ends_with(".json")        ? printJson(groups, text)
                   : path.ends_with(".textproto") ? printText(groups, text)
                                                  : groups.SerializeToString(&text);
  if (!isPrinted)
    return Status::badInput(path + ": cannot print the groups");
  return writeFile(path, text);
}

} // namespace pcc::abi
