// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/Network.h"

#include "runtime/abi/Stages.h"
#include "runtime/machine/RecordTraffic.h"

#include <set>
#include <tuple>

namespace pcc::simulate {
namespace {

class NetworkMaker {
public:
  NetworkMaker(const Meetings &meetings, const std::vector<uint32_t> &classOf,
               const abi::Cluster &cluster)
      : meetings(meetings), classOf(classOf), cluster(cluster),
        executable(meetings.programs.front().executable) {}

  Network make();

private:
  void addRecord(Node &node, uint32_t record);
  int32_t channelMeeting(const check::Channel &channel);
  int32_t groupMeeting(uint32_t group, uint32_t list);
  double price(uint32_t place, const machine::Traffic &traffic);

  const Meetings &meetings;
  const std::vector<uint32_t> &classOf;
  const abi::Cluster &cluster;
  const abi::Executable &executable;
  Network network;
  /// Rendezvous by class and instruction of the sender; by group and the classes of its members.
  std::map<std::pair<uint32_t, uint32_t>, int32_t> ofChannel;
  std::map<std::pair<uint32_t, std::set<uint32_t>>, int32_t> ofGroup;
  /// Rendezvous by group and list.
  std::map<std::pair<uint32_t, uint32_t>, int32_t> ofList;
  std::map<std::tuple<uint32_t, int, double, int64_t>, double> prices;
};

int32_t NetworkMaker::channelMeeting(const check::Channel &channel) {
  auto [known, isNew] = ofChannel.try_emplace({classOf[channel.sender], channel.send},
                                              int32_t(network.members.size()));
  if (isNew)
    network.members.push_back(2);
  return known->second;
}

int32_t NetworkMaker::groupMeeting(uint32_t group, uint32_t list) {
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

double NetworkMaker::price(uint32_t place, const machine::Traffic &traffic) {
  auto [known, isNew] =
      prices.try_emplace({place, int(traffic.kind), traffic.bytes, traffic.messages}, 0);
  if (isNew)
    known->second =
        machine::priceCollective(cluster, meetings.places.groupOf(place), traffic).seconds;
  return known->second;
}

void NetworkMaker::addRecord(Node &node, uint32_t record) {
  const std::vector<const abi::Record *> &records = meetings.programs[node.program].records;
  const abi::Record &message = *records[record];
  if (!message.has_collective())
    return;
  const abi::Collective &collective = message.collective();
  int64_t rank = node.ranks.front();
  auto priceAt = [&](uint32_t place) {
    int64_t members = meetings.places.groupOf(place).size;
    return price(place, machine::trafficOfMessage(std::span(records).subspan(record), members));
  };
  if (!check::isMessage(message)) {
    uint32_t group = collective.group(), list = meetings.listOf[group][rank];
    node.meetings[record] = groupMeeting(group, list);
    node.seconds[record] = collective.fused() ? 0 : priceAt(meetings.placeOfList[group][list]);
    return;
  }
  int32_t channel = meetings.channelOf(rank, record);
  if (channel < 0)
    return;
  uint32_t place = meetings.placeOfChannel[channel];
  node.meetings[record] = channelMeeting(meetings.messages.channels[channel]);
  node.seconds[record] = priceAt(place);
  node.gaps[record] = node.seconds[record] - price(place, machine::Traffic{abi::SEND});
}

Network NetworkMaker::make() {
  for (int64_t rank = 0; rank < int64_t(classOf.size()); ++rank) {
    if (classOf[rank] == network.nodes.size()) {
      int program = abi::programOfRank(executable, rank);
      size_t records = meetings.programs[program].records.size();
      network.nodes.push_back({.program = program,
                               .meetings = std::vector<int32_t>(records, -1),
                               .seconds = std::vector<double>(records, 0),
                               .gaps = std::vector<double>(records, 0)});
    }
    network.nodes[classOf[rank]].ranks.push_back(rank);
  }
  for (Node &node : network.nodes)
    for (uint32_t record = 0; record < node.meetings.size(); ++record)
      addRecord(node, record);
  return std::move(network);
}

} // namespace

Network makeNetwork(const Meetings &meetings, const std::vector<uint32_t> &classOf,
                    const abi::Cluster &cluster) {
  return NetworkMaker(meetings, classOf, cluster).make();
}

} // namespace pcc::simulate
