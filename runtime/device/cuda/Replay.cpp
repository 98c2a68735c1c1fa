// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps one graph for each combination of the action values that the instructions use. Capturing
// runs the prepared instructions on the stream, which then records them instead of executing them.
// Any failure leaves a null graph.

#include "runtime/device/cuda/Instructions.h"

namespace pcc::runtime::cuda {

Replay::Replay(std::vector<InstructionToRun> instructions, Stream &stream)
    : instructions(std::move(instructions)), stream(stream) {
  for (const InstructionToRun &one : this->instructions) {
    ActionValueUse own = one.prepared->uses();
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

Replay::Kind Replay::kindOf(const ActionValues &action) const {
  return {use.microbatch ? action.microbatch : 0, use.copy ? action.copy : 0,
          use.first ? action.first : 0};
}

Status Replay::run(const ActionValues &action) {
  auto found = graphs.find(kindOf(action));
  return found == graphs.end() || !found->second ? runEach(action) : launch(found->second);
}

void Replay::makeReady(const ActionValues &action) {
  auto [place, isNew] = graphs.try_emplace(kindOf(action));
  if (isNew)
    place->second = capture(action);
}

Status Replay::runEach(const ActionValues &action) {
  for (const InstructionToRun &one : instructions)
    if (Status status = one.prepared->run(action); !status.ok())
      return std::move(status).at(
          {.op = one.instruction->op(), .location = one.instruction->location()});
  return {};
}

/// Returns null if the instructions cannot be captured.
GraphExecHandle Replay::capture(const ActionValues &action) {
  const Driver &driver = stream.driver();
  if (driver.streamBeginCapture(stream.get(), CaptureMode::ThreadLocal) != Result::Success)
    return nullptr;
  GraphHandle graph = nullptr;
  bool isCaptured;
  {
    Stream::Capturing capturing(stream);
    isCaptured = runEach(action).ok();
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
  return stream.enqueued(*instructions.front().instruction, *instructions.back().instruction,
                         int64_t(instructions.size()),
                         driver.check(driver.graphLaunch(graph, stream.get()), "cuGraphLaunch"));
}

} // namespace pcc::runtime::cuda
