// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/Network.h"

#include "runtime/abi/ProgramRanks.h"
#include "runtime/machine/CollectiveTraffic.h"

#include <set>
#include <tuple>

namespace pcc::simulate {
namespace {

class NetworkMaker {
public:
  NetworkMaker(const RendezvousTable &rendezvousTable, const std::vector<uint32_t> &classOf,
               const abi::Cluster &cluster)
      : rendezvousTable(rendezvousTable), classOf(classOf), cluster(cluster),
        executable(rendezvousTable.programs.front().executable) {}

  Network make();

private:
  void addInstruction(Node &node, uint32_t instruction);
  int32_t channelRendezvous(const check::Channel &channel);
  int32_t groupRendezvous(uint32_t group, uint32_t list);
  double costOf(uint32_t place, const machine::Traffic &traffic);

  const RendezvousTable &rendezvousTable;
  const std::vector<uint32_t> &classOf;
  const abi::Cluster &cluster;
  const abi::Executable &executable;
  Network network;
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

double NetworkMaker::costOf(uint32_t place, const machine::Traffic &traffic) {
  auto [known, isNew] =
      costs.try_emplace({place, int(traffic.kind), traffic.bytes, traffic.messages}, 0);
  if (isNew)
    known->second =
        machine::estimateCollectiveCost(cluster, rendezvousTable.locations.groupOf(place), traffic)
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
  auto estimateAt = [&](uint32_t place) {
    int64_t members = rendezvousTable.locations.groupOf(place).size;
    return costOf(place,
                  machine::trafficOfFused(std::span(instructions).subspan(instruction), members));
  };
  if (!check::isMessage(message)) {
    uint32_t group = collective.group(), list = rendezvousTable.listOf[group][rank];
    node.rendezvousTable[instruction] = groupRendezvous(group, list);
    node.seconds[instruction] =
        collective.fused() ? 0 : estimateAt(rendezvousTable.locationOfList[group][list]);
    return;
  }
  int32_t channel = rendezvousTable.channelOf(rank, instruction);
  if (channel < 0)
    return;
  uint32_t place = rendezvousTable.locationOfChannel[channel];
  node.rendezvousTable[instruction] = channelRendezvous(rendezvousTable.messages.channels[channel]);
  node.seconds[instruction] = estimateAt(place);
  node.gaps[instruction] = node.seconds[instruction] - costOf(place, machine::Traffic{abi::SEND});
}

Network NetworkMaker::make() {
  for (int64_t rank = 0; rank < int64_t(classOf.size()); ++rank) {
    if (classOf[rank] == network.nodes.size()) {
      int program = abi::programOfRank(executable, rank);
      size_t instructions = rendezvousTable.programs[program].instructions.size();
      network.nodes.push_back({.program = program,
                               .rendezvousTable = std::vector<int32_t>(instructions, -1),
                               .seconds = std::vector<double>(instructions, 0),
                               .gaps = std::vector<double>(instructions, 0)});
    }
    network.nodes[classOf[rank]].ranks.push_back(rank);
  }
  for (Node &node : network.nodes)
    for (uint32_t instruction = 0; instruction < node.rendezvousTable.size(); ++instruction)
      addInstruction(node, instruction);
  return std::move(network);
}

} // namespace

Network makeNetwork(const RendezvousTable &rendezvousTable, const std::vector<uint32_t> &classOf,
                    const abi::Cluster &cluster) {
  return NetworkMaker(rendezvousTable, classOf, cluster).make();
}

} // namespace pcc::simulate
