// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes each rank by its program and the offsets of its parameter blocks. One map from
// description to group collects all groups in a single pass over the ranks.

#include "runtime/abi/GroupFile.h"

#include "runtime/abi/ProgramRanks.h"
#include "runtime/abi/WholeFile.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <map>

namespace pcc::abi {
namespace {

/// Describes what one rank holds by its program and the offsets of its blocks. The rank number is
/// added if the rank has a parameter of `ownParameters`.
std::vector<int64_t> describeHeld(const Executable &executable, int64_t rank,
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

} // namespace

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
  bool isPrinted = false;
  if (path.ends_with(".json")) {
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    isPrinted = google::protobuf::util::MessageToJsonString(groups, &text, options).ok();
  } else if (path.ends_with(".textproto")) {
    isPrinted = google::protobuf::TextFormat::PrintToString(groups, &text);
  } else {
    isPrinted = groups.SerializeToString(&text);
  }
  if (!isPrinted)
    return Status::badInput(path + ": cannot print the groups");
  return writeFile(path, text);
}

} // namespace pcc::abi
