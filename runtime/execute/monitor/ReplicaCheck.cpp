// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks compare by maxima: hashes are equal if the greatest one is also the smallest. Only when
// a block differs do the ranks learn each other's hashes.

#include "runtime/execute/monitor/ReplicaCheck.h"

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/checkpoint/Xxh3.h"

#include <algorithm>
#include <limits>
#include <map>

namespace pcc::runtime {
namespace {

/// Stands for the hash of a rank that does not hold the block.
constexpr int64_t absent = std::numeric_limits<int64_t>::min();

/// Returns "rank 3", "ranks 0, 1 and 2", or "9 ranks such as 0".
std::string formatRanks(const std::vector<int64_t> &ranks) {
  constexpr size_t most = 8;
  if (ranks.size() > most)
    return fmt::format("{} ranks such as {}", ranks.size(), ranks.front());
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t index = 0; index < ranks.size(); ++index)
    text += fmt::format("{} {}",
                        index == 0                  ? ""
                        : index + 1 == ranks.size() ? " and"
                                                    : ",",
                        ranks[index]);
  return text;
}

/// Returns "the parameter 'w'" or "the state 'w.m'".
std::string formatSubject(const abi::Parameter &parameter) {
  return fmt::format("the {} '{}'", parameter.state_of().empty() ? "parameter" : "state",
                     parameter.name());
}

} // namespace

ReplicaCheck::ReplicaCheck(const abi::Executable &executable) {
  for (int p = 0; p < executable.programs_size(); ++p) {
    abi::RankRange ranks = abi::ranksOfProgram(executable, p);
    for (const abi::Parameter &parameter : executable.programs(p).parameters()) {
      std::map<std::vector<int64_t>, std::vector<int64_t>> holders; // by offsets
      for (int64_t rank = ranks.first; rank < ranks.end; ++rank)
        holders[abi::offsetsOf(parameter.block(), executable.mesh(), rank)].push_back(rank);
      for (auto &[offsets, held] : holders)
        if (held.size() > 1)
          blocks.push_back({&parameter, std::move(held)});
    }
  }
}

Status ReplicaCheck::hashOn(RankExecutor &rank, const Block &block, int64_t &hash) {
  hash = absent;
  if (!std::ranges::binary_search(block.ranks, rank.rank()))
    return {};
  std::vector<std::byte> copy;
  auto bytes =
      rank.read(block.parameter->buffer(), size_t(localBytes(block.parameter->block())), copy);
  if (!bytes)
    return bytes.status();
  hash = int64_t(xxh3Of({reinterpret_cast<const char *>(bytes->data()), bytes->size()}) >> 1);
  return {};
}

Status ReplicaCheck::run(RankExecutor &rank, int64_t steps) const {
  LocalWork work = rank.atWork("compares replicas");
  std::vector<int64_t> own(blocks.size());
  for (size_t index = 0; index < blocks.size(); ++index)
    if (Status status = hashOn(rank, blocks[index], own[index]); !status.ok())
      return status;
  std::vector<int64_t> extremes; // of each block: the greatest hash, and the smallest one negated
  for (int64_t hash : own)
    extremes.insert(extremes.end(), {hash, hash == absent ? absent : -hash});
  if (Status status = rank.maxOfRanks(extremes, "to compare replicas"); !status.ok())
    return status;
  for (size_t index = 0; index < blocks.size(); ++index)
    if (extremes[2 * index] != -extremes[2 * index + 1])
      return describe(rank, blocks[index], own[index], steps);
  return {};
}

Status ReplicaCheck::describe(RankExecutor &rank, const Block &block, int64_t hash, int64_t steps) {
  std::vector<int64_t> hashes(block.ranks.size(), absent);
  auto self = std::ranges::lower_bound(block.ranks, rank.rank());
  if (hash != absent)
    hashes[size_t(self - block.ranks.begin())] = hash;
  if (Status status = rank.maxOfRanks(hashes, "to compare replicas"); !status.ok())
    return status;
  std::map<int64_t, std::vector<int64_t>> holders; // by hash
  for (size_t index = 0; index < hashes.size(); ++index)
    holders[hashes[index]].push_back(block.ranks[index]);
  auto most = std::ranges::max_element(holders, {}, [](auto &own) { return own.second.size(); });
  std::vector<int64_t> others;
  for (auto &[own, ranks] : holders)
    if (own != most->first)
      others.insert(others.end(), ranks.begin(), ranks.end());
  std::ranges::sort(others);
  bool isMajority = 2 * most->second.size() > block.ranks.size();
  return Status::failed(fmt::format(
      "--check-replicas: after {} steps, {} differs between its replicas: {}; memory may have "
      "failed; continue from a checkpoint",
      steps, formatSubject(*block.parameter),
      isMajority ? fmt::format("{} {} other bits than {}", formatRanks(others),
                               others.size() == 1 ? "has" : "have", formatRanks(most->second))
                 : fmt::format("{} have different bits", formatRanks(block.ranks))));
}

} // namespace pcc::runtime
