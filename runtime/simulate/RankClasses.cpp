// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins with one class per program and splits classes by the signatures of their ranks, until
// their number is stable. makeNetwork() reads the instructions of each class at its lowest rank. It
// caches costs by location and traffic.

#include "runtime/simulate/RankClasses.h"

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/machine/CollectiveTraffic.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace pcc::simulate {
namespace {

/// Numbers that distinguish ranks.
using Signature = std::vector<uint32_t>;

/// Assigns a number to each signature in order of appearance.
class Numbering {
public:
  uint32_t of(const Signature &signature) {
    return numbers.try_emplace(signature, uint32_t(numbers.size())).first->second;
  }
  size_t size() const { return numbers.size(); }

private:
  std::map<Signature, uint32_t> numbers;
};

class ClassFinder {
public:
  explicit ClassFinder(const RendezvousTable &rendezvousTable)
      : rendezvousTable(rendezvousTable), executable(rendezvousTable.programs.front().executable) {}

  std::vector<uint32_t> find();

private:
  size_t split();
  void numberLists();
  Signature signatureOf(int64_t rank) const;

  const RendezvousTable &rendezvousTable;
  const abi::Executable &executable;
  std::vector<uint32_t> classOf;
  /// By group and list: a number for its members' classes and its placement.
  std::vector<std::vector<uint32_t>> kindOfList;
};

void ClassFinder::numberLists() {
  kindOfList.clear();
  for (int g = 0; g < executable.groups_size(); ++g) {
    Numbering kinds;
    std::vector<uint32_t> &kindOf = kindOfList.emplace_back();
    for (int l = 0; l < executable.groups(g).lists_size(); ++l) {
      Signature members;
      for (uint32_t rank : executable.groups(g).lists(l).ranks())
        members.push_back(classOf[rank]);
      std::sort(members.begin(), members.end());
      members.push_back(rendezvousTable.locationOfList[g][l]);
      kindOf.push_back(kinds.of(members));
    }
  }
}

Signature ClassFinder::signatureOf(int64_t rank) const {
  Signature signature = {classOf[rank]};
  const check::ProgramIndex &index = rendezvousTable.programs[abi::programOfRank(executable, rank)];
  for (uint32_t instruction = 0; instruction < index.instructions.size(); ++instruction) {
    if (!check::isMessage(*index.instructions[instruction]))
      continue;
    int32_t number = rendezvousTable.channelOf(rank, instruction);
    if (number < 0) {
      signature.push_back(~0u);
      continue;
    }
    const check::Channel &channel = rendezvousTable.messages.channels[number];
    bool sends = index.instructions[instruction]->collective().kind() == abi::SEND;
    int64_t peer = sends ? channel.receiver : channel.sender;
    signature.insert(signature.end(), {classOf[peer], sends ? channel.receive : channel.send,
                                       rendezvousTable.locationOfChannel[number]});
  }
  for (uint32_t group : rendezvousTable.groupsOf[index.number])
    signature.push_back(kindOfList[group][rendezvousTable.listOf[group][rank]]);
  return signature;
}

size_t ClassFinder::split() {
  numberLists();
  Numbering classes;
  std::vector<uint32_t> next;
  for (int64_t rank = 0; rank < int64_t(classOf.size()); ++rank)
    next.push_back(classes.of(signatureOf(rank)));
  classOf = std::move(next);
  return classes.size();
}

std::vector<uint32_t> ClassFinder::find() {
  for (int64_t rank = 0; rank < abi::rankCount(executable.mesh()); ++rank)
    classOf.push_back(uint32_t(abi::programOfRank(executable, rank)));
  for (size_t before = 0, now = size_t(executable.programs_size()); now != before;) {
    before = now;
    now = split();
  }
  return classOf;
}

} // namespace

uint32_t Locations::of(const std::vector<int64_t> &ranks) {
  machine::GroupLayout group = machine::GroupLayout::of(ranks, cluster);
  std::vector<int64_t> key = group.members;
  key.push_back(group.size); // uneven groups of different sizes may have equal members
  auto [known, isNew] = numbers.try_emplace(std::move(key), uint32_t(groups.size()));
  if (isNew)
    groups.push_back(std::move(group));
  return known->second;
}

RendezvousTable::RendezvousTable(const std::vector<check::ProgramIndex> &programs,
                                 const check::Messages &messages, const abi::Cluster &cluster)
    : programs(programs), messages(messages), locations(cluster) {
  const abi::Executable &executable = programs.front().executable;
  for (const check::Channel &channel : messages.channels)
    locationOfChannel.push_back(channel.sender == channel.receiver
                                    ? locations.of({channel.sender})
                                    : locations.of({channel.sender, channel.receiver}));
  for (const abi::RankGroups &group : executable.groups()) {
    std::vector<uint32_t> &lists = listOf.emplace_back(abi::rankCount(executable.mesh()), 0);
    locationOfList.emplace_back();
    for (int l = 0; l < group.lists_size(); ++l) {
      const auto &ranks = group.lists(l).ranks();
      for (uint32_t rank : ranks)
        lists[rank] = uint32_t(l);
      locationOfList.back().push_back(locations.of({ranks.begin(), ranks.end()}));
    }
  }
  for (const check::ProgramIndex &index : programs) {
    std::set<uint32_t> called;
    for (const abi::Instruction *instruction : index.instructions)
      if (instruction->has_collective() && !check::isMessage(*instruction))
        called.insert(instruction->collective().group());
    groupsOf.emplace_back(called.begin(), called.end());
  }
}

int32_t RendezvousTable::channelOf(int64_t rank, uint32_t instruction) const {
  const abi::Executable &executable = programs.front().executable;
  int program = abi::programOfRank(executable, rank);
  const std::vector<int32_t> &channels = messages.channelOf[program][instruction];
  return channels.empty() ? -1
                          : channels[size_t(rank - abi::ranksOfProgram(executable, program).first)];
}

std::vector<uint32_t> findClasses(const RendezvousTable &rendezvousTable, bool everyRank) {
  if (!everyRank)
    return ClassFinder(rendezvousTable).find();
  std::vector<uint32_t> each(abi::rankCount(rendezvousTable.programs.front().executable.mesh()));
  std::iota(each.begin(), each.end(), 0);
  return each;
}

namespace {

class NetworkMaker {
public:
  NetworkMaker(const RendezvousTable &rendezvousTable, const std::vector<uint32_t> &classOf,
               const abi::Cluster &cluster)
      : rendezvousTable(rendezvousTable), classOf(classOf), cluster(cluster),
        executable(rendezvousTable.programs.front().executable) {}

  RendezvousNetwork make();

private:
  void addInstruction(Node &node, uint32_t instruction);
  int32_t channelRendezvous(const check::Channel &channel);
  int32_t groupRendezvous(uint32_t group, uint32_t list);
  double costOf(uint32_t location, const machine::Traffic &traffic);

  const RendezvousTable &rendezvousTable;
  const std::vector<uint32_t> &classOf;
  const abi::Cluster &cluster;
  const abi::Executable &executable;
  RendezvousNetwork network;
  /// Rendezvous by class and instruction of the sender; by group and the classes of its members.
  std::map<std::pair<uint32_t, uint32_t>, int32_t> ofChannel;
  std::map<std::pair<uint32_t, std::set<uint32_t>>, int32_t> ofGroup;
  /// Rendezvous by group and list.
  std::map<std::pair<uint32_t, uint32_t>, int32_t> ofList;
  std::map<std::tuple<uint32_t, int, double, int64_t>, double> costs;
};

int32_t NetworkMaker::channelRendezvous(const check::Channel &channel) {
  auto [known, isNew] = ofChannel.try_emplace({classOf[channel.sender], channel.send},
                                              int32_t(network.members.size()));
  if (isNew)
    network.members.push_back(2);
  return known->second;
}

int32_t NetworkMaker::groupRendezvous(uint32_t group, uint32_t list) {
  auto [ofThis, isNewList] = ofList.try_emplace({group, list}, 0);
  if (!isNewList)
    return ofThis->second;
  std::set<uint32_t> classes;
  for (uint32_t rank : executable.groups(int(group)).lists(int(list)).ranks())
    classes.insert(classOf[rank]);
  uint32_t members = uint32_t(classes.size());
  auto [known, isNew] =
      ofGroup.try_emplace({group, std::move(classes)}, int32_t(network.members.size()));
  if (isNew)
    network.members.push_back(members);
  return ofThis->second = known->second;
}

double NetworkMaker::costOf(uint32_t location, const machine::Traffic &traffic) {
  auto [known, isNew] =
      costs.try_emplace({location, int(traffic.kind), traffic.bytes, traffic.messages}, 0);
  if (isNew)
    known->second = machine::estimateCollectiveCost(
                        cluster, rendezvousTable.locations.groupOf(location), traffic)
                        .seconds;
  return known->second;
}

void NetworkMaker::addInstruction(Node &node, uint32_t instruction) {
  const std::vector<const abi::Instruction *> &instructions =
      rendezvousTable.programs[node.program].instructions;
  const abi::Instruction &message = *instructions[instruction];
  if (!message.has_collective())
    return;
  const abi::Collective &collective = message.collective();
  int64_t rank = node.ranks.front();
  auto estimateAt = [&](uint32_t location) {
    int64_t members = rendezvousTable.locations.groupOf(location).size;
    return costOf(location,
                  machine::trafficOfFused(std::span(instructions).subspan(instruction), members));
  };
  if (!check::isMessage(message)) {
    uint32_t group = collective.group(), list = rendezvousTable.listOf[group][rank];
    node.rendezvousOf[instruction] = groupRendezvous(group, list);
    node.seconds[instruction] =
        collective.fused() ? 0 : estimateAt(rendezvousTable.locationOfList[group][list]);
    return;
  }
  int32_t channel = rendezvousTable.channelOf(rank, instruction);
  if (channel < 0)
    return;
  uint32_t location = rendezvousTable.locationOfChannel[channel];
  node.rendezvousOf[instruction] = channelRendezvous(rendezvousTable.messages.channels[channel]);
  node.seconds[instruction] = estimateAt(location);
  node.gaps[instruction] =
      node.seconds[instruction] - costOf(location, machine::Traffic{abi::SEND});
}

RendezvousNetwork NetworkMaker::make() {
  for (int64_t rank = 0; rank < int64_t(classOf.size()); ++rank) {
    if (classOf[rank] == network.nodes.size()) {
      int program = abi::programOfRank(executable, rank);
      size_t instructions = rendezvousTable.programs[program].instructions.size();
      network.nodes.push_back({.program = program,
                               .rendezvousOf = std::vector<int32_t>(instructions, -1),
                               .seconds = std::vector<double>(instructions, 0),
                               .gaps = std::vector<double>(instructions, 0)});
    }
    network.nodes[classOf[rank]].ranks.push_back(rank);
  }
  for (Node &node : network.nodes)
    for (uint32_t instruction = 0; instruction < node.rendezvousOf.size(); ++instruction)
      addInstruction(node, instruction);
  return std::move(network);
}

} // namespace

RendezvousNetwork makeNetwork(const RendezvousTable &rendezvousTable,
                              const std::vector<uint32_t> &classOf, const abi::Cluster &cluster) {
  return NetworkMaker(rendezvousTable, classOf, cluster).make();
}

} // namespace pcc::simulate
