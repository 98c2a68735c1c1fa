// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// load() joins the devices, allocates the spaces, initializes parameters, splits groups and
// prepares sections. The first step runs under the memory tracker, without joined instructions.
// They are made ready after it.

#include "runtime/execute/rank/RankExecutor.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/program/BaseSection.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/execute/observe/PeakMemoryTracker.h"
#include "runtime/execute/rank/BufferWriter.h"
#include "runtime/execute/rank/Initialize.h"

#include <algorithm>

namespace pcc::runtime {

RankExecutor::RankExecutor(const abi::Executable &executable, int64_t rank,
                           std::unique_ptr<Device> device, std::unique_ptr<Communicator> world,
                           RankOptions options)
    : wholeExecutable(executable),
      ownProgram(executable.programs(abi::programOfRank(executable, rank))), ownRank(rank),
      options(options), ownDevice(std::move(device)), worldCommunicator(std::move(world)),
      events(ownProgram.events()), ownTrace(options.trace) {
  memory.base[abi::CONSTANT] = ownDevice->constants();
}

Status RankExecutor::load(const ParameterValues &values, const JoinDevices &join) {
  LocalWork work = atWork("loads the program", loadPatience);
  if (Status status = startTimestamps(); !status.ok())
    return status;
  Expected<std::shared_ptr<Communicator>> joined = joinDevices(join);
  if (!joined)
    return joined.status().at({.rank = ownRank});
  {
    std::lock_guard lock(joinMutex);
    groups.world = std::move(*joined);
  }
  if (Status status = allocateSpaces(); !status.ok())
    return std::move(status).at({.rank = ownRank});
  if (Status status = initializeParameters(values); !status.ok())
    return std::move(status).at({.rank = ownRank});
  if (Status status = makeGroups(); !status.ok())
    return status;
  if (Status status = prepareSections(); !status.ok())
    return status;
  planActions();
  return {};
}

Expected<std::shared_ptr<Communicator>> RankExecutor::joinDevices(const JoinDevices &join) {
  Progress::Waiting waiting(ownProgress, nowNanoseconds(), WaitKind::Join, "to join other devices");
  return join(worldCommunicator, *ownDevice);
}

void RankExecutor::abort(const std::string &reason) {
  worldCommunicator->abort(reason);
  std::lock_guard lock(joinMutex);
  if (groups.world && groups.world != worldCommunicator)
    groups.world->abort(reason);
}

Status RankExecutor::checkPeers() {
  std::unique_lock lock(joinMutex, std::try_to_lock);
  return lock && groups.world ? groups.world->checkPeers().at({.rank = ownRank}) : Status();
}

Status RankExecutor::startTimestamps() {
  return ownTrace.isOn() ? ownDevice->startTimestamps().at({.rank = ownRank}) : Status();
}

Status RankExecutor::allocateSpaces() {
  const std::pair<abi::Space, uint64_t> sizes[] = {
      {abi::PERSISTENT, ownProgram.memory().persistent_bytes()},
      {abi::TEMPORARY, ownProgram.memory().temporary_bytes()},
      {abi::INPUT, ownProgram.memory().input_bytes()}};
  use.allocated = abi::constantBytes(wholeExecutable);
  for (auto [space, bytes] : sizes) {
    Expected<std::unique_ptr<Allocation>> allocation = ownDevice->allocate(bytes);
    if (!allocation)
      return allocation.status();
    use.allocated += bytes;
    memory.base[space] = (*allocation)->base;
    spaces.push_back(std::move(*allocation));
  }
  return {};
}

Status RankExecutor::initializeParameters(const ParameterValues &values) {
  Expected<abi::DataReader> data = abi::DataReader::open(wholeExecutable);
  if (!data)
    return data.status();
  auto parallel = [&](int64_t count, const auto &body) { ownDevice->parallel(count, body); };
  for (const abi::Parameter &parameter : ownProgram.parameters()) {
    if (values.isSetLater && values.isSetLater(parameter))
      continue;
    BufferWriter writer(*this); // per parameter, to hold only one image in host memory
    Status status = initialize(parameter, wholeExecutable.mesh(), ownRank, values.seed, *data,
                               parallel, writer.at(parameter.buffer()));
    if (status.ok())
      status = writer.send();
    if (!status.ok())
      return status;
    abi::beat();
  }
  return {};
}

Status RankExecutor::makeGroups() {
  for (const abi::RankGroups &group : wholeExecutable.groups()) {
    // The color is the index of the list that holds the rank. Positions follow the list, which need
    // not ascend.
    const abi::RankList &list = abi::groupOf(group, ownRank);
    auto sameList = [&](const abi::RankList &other) { return &other == &list; };
    auto color = std::find_if(group.lists().begin(), group.lists().end(), sameList);
    auto position = std::find(list.ranks().begin(), list.ranks().end(), ownRank);
    Expected<std::unique_ptr<Communicator>> communicator = split(
        *groups.world, int(color - group.lists().begin()), int(position - list.ranks().begin()));
    if (!communicator)
      return communicator.status();
    groups.groups.push_back(std::move(*communicator));
  }
  return {};
}

/// Splits a communicator. Other ranks may arrive late, since they still load.
Expected<std::unique_ptr<Communicator>> RankExecutor::split(Communicator &all, int color, int key) {
  Progress::Waiting waiting(ownProgress, nowNanoseconds(), WaitKind::Join, "to join its groups");
  return all.split(color, key);
}

Status RankExecutor::connectToFirstRank() {
  Expected<std::unique_ptr<Communicator>> communicator = split(*worldCommunicator, 0, int(ownRank));
  if (communicator)
    firstRankComm = std::move(*communicator);
  return communicator.status();
}

/// Calls with all that they use.
struct RankExecutor::Exchange {
  std::vector<TaggedBytes> sent;
  std::vector<std::byte> received;
  std::vector<CollectiveCall> calls;
};

Status RankExecutor::sendToFirstRank(std::vector<TaggedBytes> messages) {
  auto exchange = std::make_shared<Exchange>();
  exchange->sent = std::move(messages);
  for (const TaggedBytes &message : exchange->sent) {
    CollectiveCall &call = exchange->calls.emplace_back();
    call.kind = abi::SEND;
    call.type = abi::I8;
    call.source = message.bytes.data();
    call.shape = {int64_t(message.bytes.size())};
    call.tag = message.tag;
  }
  return runWithFirstRank(std::move(exchange), "to send to rank 0");
}

Expected<std::vector<std::byte>> RankExecutor::receiveFrom(int64_t rank, size_t bytes,
                                                           uint32_t tag) {
  auto exchange = std::make_shared<Exchange>();
  exchange->received.resize(bytes);
  CollectiveCall &call = exchange->calls.emplace_back();
  call.kind = abi::RECV;
  call.type = abi::I8;
  call.destination = exchange->received.data();
  call.shape = {int64_t(bytes)};
  call.root = int32_t(rank);
  call.tag = tag;
  if (Status status = runWithFirstRank(exchange, "to receive from a rank of another process");
      !status.ok())
    return status;
  return std::move(exchange->received);
}

Status RankExecutor::runWithFirstRank(std::shared_ptr<const Exchange> exchange, const char *name) {
  if (exchange->calls.empty())
    return {};
  Progress::Waiting waiting(ownProgress, nowNanoseconds(), WaitKind::Transfer, name);
  return firstRankComm->runOwned(exchange->calls, exchange).at({.rank = ownRank});
}

Status RankExecutor::barrier(const char *name) {
  Progress::Waiting waiting(ownProgress, nowNanoseconds(), WaitKind::Transfer, name);
  return worldCommunicator->barrier().at({.rank = ownRank});
}

Status RankExecutor::maxOfRanks(std::span<int64_t> values, const char *name) {
  struct Maximum {
    std::vector<int64_t> own, all;
    CollectiveCall call;
  };
  auto maximum = std::make_shared<Maximum>();
  maximum->own.assign(values.begin(), values.end());
  maximum->all.resize(values.size());
  CollectiveCall &call = maximum->call;
  call.kind = abi::ALL_REDUCE;
  call.reduction = abi::MAX;
  call.type = abi::I64;
  call.source = maximum->own.data();
  call.destination = maximum->all.data();
  call.shape = {int64_t(values.size())};
  Progress::Waiting waiting(ownProgress, nowNanoseconds(), WaitKind::Transfer, name);
  Status status = worldCommunicator->runOwned({&call, 1}, maximum).at({.rank = ownRank});
  if (status.ok())
    std::ranges::copy(maximum->all, values.begin());
  return status;
}

Status RankExecutor::prepareSections() {
  PrepareContext context{wholeExecutable, ownProgram, memory, ownRank};
  if (options.finiteCheck.isOn)
    finiteCheck = std::make_unique<FiniteCheck>(context, *ownDevice, options.finiteCheck);
  for (int s = 0; s < ownProgram.sections_size(); ++s) {
    Expected<PreparedSection> section =
        PreparedSection::prepare(s, context, *ownDevice, groups,
                                 {.waitsForEach = options.checksInstructions,
                                  .isTraced = ownTrace.hasEach(),
                                  .finiteCheck = finiteCheck.get()});
    if (!section)
      return section.status();
    abi::beat();
    sections.push_back(std::move(*section));
    if (ownProgram.sections(s).name() == "start_training")
      startSection = s;
  }
  runsAlone.resize(sections.size());
  use.allocated += ownDevice->workspaceBytes();
  return {};
}

void RankExecutor::planActions() {
  actions.resize(ownProgram.actions_size());
  std::vector<int> lastAction(ownProgram.sections_size(), -1);
  const abi::Action *loaded = nullptr;
  for (int i = 0; i < ownProgram.actions_size(); ++i) {
    const abi::Action &action = ownProgram.actions(i);
    actions[i].first = lastAction[action.section()] < 0;
    lastAction[action.section()] = i;
    if (!sections[action.section()].readsInput())
      continue;
    actions[i].needsInput =
        !loaded || loaded->microbatch() != action.microbatch() || loaded->copy() != action.copy();
    loaded = &action;
  }
  for (int last : lastAction)
    if (last >= 0)
      actions[last].last = true;
  numberActions();
}

std::vector<const abi::Action *> RankExecutor::fillingActions() const {
  std::vector<const abi::Action *> filling;
  for (size_t i = 0; i < actions.size(); ++i)
    if (actions[i].needsInput)
      filling.push_back(&ownProgram.actions(int(i)));
  return filling;
}

/// Numbers the runs of a section by the blocks of the batch, whatever the order of the actions.
void RankExecutor::numberActions() {
  std::vector<int64_t> runs(ownProgram.sections_size(), 0), copies(ownProgram.sections_size(), 1);
  for (const abi::Action &action : ownProgram.actions()) {
    uint32_t section = abi::baseSection(ownProgram, action.section());
    ++runs[section];
    copies[section] = std::max<int64_t>(copies[section], action.copy() + 1);
  }
  for (int i = 0; i < ownProgram.actions_size(); ++i) {
    const abi::Action &action = ownProgram.actions(i);
    uint32_t section = abi::baseSection(ownProgram, action.section());
    actions[i].runs = runs[section];
    actions[i].block = action.microbatch() * copies[section] + action.copy();
  }
}

Status RankExecutor::runStep(int64_t step, const StepHooks &hooks) {
  ownProgress.step.store(step, std::memory_order_relaxed);
  if (step == 0 && startSection)
    if (Status status = runSection(*startSection); !status.ok())
      return status;
  if (hasRunStep)
    return runActions(step, hooks);
  hasRunStep = true;
  PeakMemoryTracker memoryTracker(wholeExecutable, abi::programOfRank(wholeExecutable, ownRank));
  events.memoryTracker = &memoryTracker;
  Status status = runActions(step, hooks);
  events.memoryTracker = nullptr;
  use.peakLive = memoryTracker.peakLive();
  return status.ok() ? prepareActions() : status;
}

/// Prepares the actions of all further steps while nothing is in flight.
Status RankExecutor::prepareActions() {
  if (Status status = synchronize(); !status.ok())
    return status;
  for (size_t i = 0; i < actions.size(); ++i)
    sections[ownProgram.actions(int(i)).section()].makeReady(valuesOf(i, /*step=*/0));
  return {};
}

Status RankExecutor::runActions(int64_t step, const StepHooks &hooks) {
  if (Status status = startTimestamps(); !status.ok())
    return status;
  for (size_t i = 0; i < actions.size(); ++i)
    if (Status status = runAction(i, step, hooks); !status.ok())
      return status;
  Status status = events.finishAll(ownProgress, ownTrace);
  if (status.ok())
    status = ownTrace.settle();
  return std::move(status).at({.rank = ownRank, .step = step + 1});
}

ActionValues RankExecutor::valuesOf(size_t index, int64_t step) const {
  const abi::Action &action = ownProgram.actions(int(index));
  return {action.microbatch(), action.copy(), actions[index].first, step,
          abi::ringIndex(wholeExecutable.batch(), action)};
}

Status RankExecutor::runAction(size_t index, int64_t step, const StepHooks &hooks) {
  const abi::Action &action = ownProgram.actions(int(index));
  const ActionPlan &plan = actions[index];
  Status status;
  if (plan.needsInput && hooks.fill)
    status = hooks.fill(action);
  if (int64_t number = step * plan.runs + plan.block; status.ok() && ownProgram.has_step_buffer())
    status = write(ownProgram.step_buffer(), std::as_bytes(std::span(&number, 1)));
  ActionValues values = valuesOf(index, step);
  if (status.ok())
    status = sections[action.section()].run(values, events, ownProgress, ownTrace);
  if (status.ok() && plan.last && hooks.sectionDone) {
    status = finishResults(action.section());
    if (status.ok())
      status = hooks.sectionDone(action.section());
  }
  if (status.ok())
    return status;
  return std::move(status).at({.rank = ownRank,
                               .step = step + 1,
                               .section = ownProgram.sections(int(action.section())).name(),
                               .microbatch = action.microbatch(),
                               .copy = action.copy()});
}

/// Waits for collectives that still write to the results of `section`.
Status RankExecutor::finishResults(uint32_t section) {
  for (const abi::Result &result : ownProgram.results()) {
    int64_t bytes = int64_t(ownProgram.memory().buffers(int(result.buffer())).bytes());
    if (result.section() == section)
      if (Status status =
              events.finishWriters(address(result.buffer()), bytes, ownProgress, ownTrace);
          !status.ok())
        return status;
  }
  return {};
}

Status RankExecutor::runSection(uint32_t section) {
  // A section that runs alone a second time will probably run often. Its earlier collectives are
  // complete, but the device may still be running.
  if (++runsAlone[section] == 2) {
    if (Status status = synchronize(); !status.ok())
      return status;
    sections[section].makeReady({});
  }
  Status status = sections[section].run({}, events, ownProgress, ownTrace);
  if (status.ok())
    status = events.finishAll(ownProgress, ownTrace);
  return std::move(status).at(
      {.rank = ownRank, .section = ownProgram.sections(int(section)).name()});
}

Status RankExecutor::write(uint32_t buffer, std::span<const std::byte> bytes) {
  Progress::Waiting waiting = waitingForDevice();
  return ownDevice->copyIn(address(buffer), bytes);
}

std::byte *RankExecutor::address(uint32_t buffer) const {
  const abi::Buffer &plan = ownProgram.memory().buffers(int(buffer));
  return memory.base[plan.space()] + plan.offset();
}

Expected<Tensor> RankExecutor::read(const abi::Block &block, uint32_t buffer) const {
  Tensor tensor =
      Tensor::zeros(block.type(), {block.local_shape().begin(), block.local_shape().end()});
  if (Status status = read(tensor.data, buffer); !status.ok())
    return status;
  return tensor;
}

/// Returns an error if the run was aborted meanwhile: then the device's results are invalid.
Status RankExecutor::unlessAborted(Status status) const {
  return status.ok() && groups.deviceWaitsForRanks() ? groups.world->status() : status;
}

/// Marks the rank as waiting for other ranks during its lifetime, if the device may wait for them.
Progress::Waiting RankExecutor::waitingForDevice() const {
  return {ownProgress, groups.deviceWaitsForRanks() ? nowNanoseconds() : 0, WaitKind::Device};
}

Status RankExecutor::synchronize() const {
  Progress::Waiting waiting = waitingForDevice();
  return unlessAborted(ownDevice->synchronize()).at({.rank = ownRank});
}

Status RankExecutor::read(std::span<std::byte> bytes, uint32_t buffer) const {
  Progress::Waiting waiting = waitingForDevice();
  return unlessAborted(ownDevice->copyOut(bytes, address(buffer)));
}

Expected<std::span<const std::byte>> RankExecutor::read(uint32_t buffer, size_t bytes,
                                                        std::vector<std::byte> &copy) const {
  if (ownDevice->hasHostMemory())
    return std::span<const std::byte>(address(buffer), bytes);
  copy.resize(bytes);
  if (Status status = read(copy, buffer); !status.ok())
    return status;
  return std::span<const std::byte>(copy);
}

Expected<HostToDeviceStaging *> RankExecutor::inputStaging(uint32_t buffer) {
  std::unique_ptr<HostToDeviceStaging> &staging = inputStagings[buffer];
  if (staging)
    return staging.get();
  uint64_t bytes = ownProgram.memory().buffers(int(buffer)).bytes();
  Expected<std::unique_ptr<HostToDeviceStaging>> made =
      ownDevice->makeHostToDeviceStaging(address(buffer), bytes);
  if (!made)
    return made.status();
  if (!ownDevice->hasHostMemory())
    use.allocated += bytes;
  staging = std::move(*made);
  return staging.get();
}

Expected<std::unique_ptr<Snapshot>> RankExecutor::makeSnapshot(uint32_t buffer, uint64_t bytes) {
  return ownDevice->makeSnapshot(address(buffer), bytes);
}

Status RankExecutor::wait(HostToDeviceStaging &inputStaging) const {
  Progress::Waiting waiting = waitingForDevice();
  return unlessAborted(inputStaging.wait());
}

Status RankExecutor::send(HostToDeviceStaging &inputStaging) const {
  Progress::Waiting waiting = waitingForDevice();
  return unlessAborted(inputStaging.send());
}

Status RankExecutor::take(Snapshot &snapshot) const {
  Progress::Waiting waiting = waitingForDevice();
  return unlessAborted(snapshot.take());
}

Expected<std::span<const std::byte>> RankExecutor::read(Snapshot &snapshot) const {
  Progress::Waiting waiting = waitingForDevice();
  Expected<std::span<const std::byte>> bytes = snapshot.read();
  Status status = unlessAborted(bytes.status());
  return status.ok() ? bytes : Expected<std::span<const std::byte>>(std::move(status));
}

} // namespace pcc::runtime
