// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/Replay.h"

namespace pcc::runtime::cuda {

Replay::Replay(std::vector<RecordToRun> records, Stream &stream)
    : records(std::move(records)), stream(stream) {
  for (const RecordToRun &one : this->records) {
    SlotUse own = one.prepared->uses();
    use.microbatch |= own.microbatch;
    use.copy |= own.copy;
    use.first |= own.first;
    use.step |= own.step;
  }
}

Replay::~Replay() {
  if (!stream.gpu->enter().ok())
    return;
  for (const auto &[kind, graph] : graphs)
    if (graph)
      stream.driver().graphExecDestroy(graph);
}

Replay::Kind Replay::kindOf(const SlotValues &slot) const {
  return {use.microbatch ? slot.microbatch : 0, use.copy ? slot.copy : 0,
          use.first ? slot.first : 0};
}

Status Replay::run(const SlotValues &slot) {
  auto found = graphs.find(kindOf(slot));
  return found == graphs.end() || !found->second ? runEach(slot) : launch(found->second);
}

void Replay::makeReady(const SlotValues &slot) {
  auto [place, isNew] = graphs.try_emplace(kindOf(slot));
  if (isNew)
    place->second = capture(slot);
}

Status Replay::runEach(const SlotValues &slot) {
  for (const RecordToRun &one : records)
    if (Status status = one.prepared->run(slot); !status.ok())
      return std::move(status).at({.op = one.record->op(), .location = one.record->location()});
  return {};
}

/// Returns null if the instructions cannot be captured.
GraphExecHandle Replay::capture(const SlotValues &slot) {
  const Driver &driver = stream.driver();
  if (driver.streamBeginCapture(stream.get(), CaptureMode::ThreadLocal) != Result::Success)
    return nullptr;
  GraphHandle graph = nullptr;
  bool isCaptured;
  {
    Stream::Capturing capturing(stream);
    isCaptured = runEach(slot).ok();
  }
  isCaptured &= driver.streamEndCapture(stream.get(), &graph) == Result::Success;
  GraphExecHandle exec = isCaptured ? instantiate(graph) : nullptr;
  if (graph)
    driver.graphDestroy(graph);
  return exec;
}

/// Also uploads the graph to the GPU, so that its first launch allocates no memory.
GraphExecHandle Replay::instantiate(GraphHandle graph) {
  const Driver &driver = stream.driver();
  GraphExecHandle exec = nullptr;
  if (driver.graphInstantiate(&exec, graph, 0) != Result::Success)
    return nullptr;
  if (driver.graphUpload(exec, stream.get()) == Result::Success)
    return exec;
  driver.graphExecDestroy(exec);
  return nullptr;
}

Status Replay::launch(GraphExecHandle graph) {
  const Driver &driver = stream.driver();
  return stream.enqueued(*records.front().record, *records.back().record, int64_t(records.size()),
                         driver.check(driver.graphLaunch(graph, stream.get()), "cuGraphLaunch"));
}

} // namespace pcc::runtime::cuda
