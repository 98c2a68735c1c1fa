// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// load() proves the program again, opens the devices, chooses how they exchange data, and loads all
// ranks at once. Steps run as closures on the rank threads (onEveryRank). Global tensors are split
// into the ranks' blocks before a run, and assembled from them afterwards.

#include "runtime/execute/Session.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/ProgramInterface.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/check/Check.h"
#include "runtime/checkpoint/SaveParameters.h"
#include "runtime/collective/local/LocalCommunicator.h"
#include "runtime/execute/ParameterHolder.h"
#include "runtime/execute/RankThreads.h"
#include "runtime/execute/connect/JoinDevices.h"
#include "runtime/execute/monitor/LossReader.h"
#include "runtime/execute/observe/Watchdog.h"
#include "runtime/execute/rank/BufferWriter.h"

#include <algorithm>
#include <thread>

namespace pcc::runtime {

struct Session::State {
  abi::Executable executable;
  abi::Program interface;
  SessionOptions options;
  std::shared_ptr<World> world;
  /// Work of the process outside of its rank threads.
  WorkProgress work;
  /// The executors of this process's ranks, in rank order.
  std::vector<std::unique_ptr<RankExecutor>> executors;

  ProcessWatch watch() const {
    ProcessWatch process{.ranks = {}, .work = &work, .firstRank = world->firstRank()};
    for (const std::unique_ptr<RankExecutor> &executor : executors)
      process.ranks.push_back({&executor->progress()});
    return process;
  }
};

/// Answers other processes until the session ends.
struct Session::Answers {
  explicit Answers(const std::shared_ptr<State> &state) : world(state->world) {
    // Weak, since the state owns the world.
    world->answerWith([weak = std::weak_ptr<State>(state)] {
      std::shared_ptr<State> own = weak.lock();
      return own ? answerPeer(own->watch(), own->options.timeout) : "";
    });
  }
  ~Answers() { world->answerWith({}); }

  const std::shared_ptr<World> world;
};

Session::Session(std::shared_ptr<State> state, std::unique_ptr<Answers> answers)
    : state(std::move(state)), answers(std::move(answers)) {}
Session::~Session() = default;
LocalWork Session::atWork(const char *what, double patience) {
  return LocalWork(state->work, what, patience);
}
const abi::Executable &Session::executable() const { return state->executable; }
const abi::Program &Session::program() const { return state->interface; }
int64_t Session::ranks() const { return state->world->placement.ranks; }
const World &Session::world() const { return *state->world; }

Expected<std::unique_ptr<Session>> Session::load(abi::Executable executable,
                                                 const SessionOptions &options) {
  if (Status status = abi::validate(executable); !status.ok())
    return status;
  // A proof stored in the file would be only a claim. Proving again takes milliseconds.
  if (Status status = check::prove(executable); !status.ok())
    return std::move(status).within("the program cannot be proved");
  auto state = std::make_shared<State>();
  state->executable = std::move(executable);
  state->interface = abi::programInterface(state->executable);
  state->options = options;
  state->world = options.world;
  if (!state->world)
    state->world = makeLocalWorld(makeLocalCommunicators(
        int(abi::rankCount(state->executable.mesh())), options.threads, options.link));
  const World &world = *state->world;
  auto communicators = state->world->connect();
  if (!communicators)
    return communicators.status();
  auto answers = std::make_unique<Answers>(state);
  auto devices = [&] {
    LocalWork work(state->work, "opens its devices", loadPatience);
    return openDevices(state->executable, world, options.threads);
  }();
  if (!devices)
    return devices.status();
  JoinDevices join = chooseJoin(world, state->executable, *devices,
                                {.viaHost = options.link.has_value(),
                                 .requiresNccl = options.requiresNccl,
                                 .timeout = options.timeout,
                                 .warn = options.warn});
  for (int i = 0; i < world.ownRanks(); ++i)
    state->executors.push_back(std::make_unique<RankExecutor>(
        state->executable, world.firstRank() + i, std::move((*devices)[i]),
        std::move((*communicators)[i]),
        RankOptions{options.trace, options.checksInstructions, options.finiteCheck}));
  std::unique_ptr<Session> session(new Session(std::move(state), std::move(answers)));
  bool isSingleProcess = session->world().isSingleProcess();
  Status loaded = session->onEveryRank([values = ParameterValues{options.seed, options.isSetLater},
                                        isSingleProcess, join](RankExecutor &rank) {
    Status status = rank.load(values, join);
    return status.ok() && !isSingleProcess ? rank.connectToFirstRank() : status;
  });
  if (!loaded.ok())
    return loaded;
  return session;
}

Status Session::onEveryRank(const std::function<Status(RankExecutor &)> &body) {
  auto task = std::make_shared<RankThreadsTask>();
  task->body = [state = state, body](int64_t rank) {
    RankExecutor &executor = *state->executors[rank];
    executor.device().enterThread();
    Status status = body(executor);
    return status.ok() ? executor.synchronize() : status;
  };
  task->abort = [state = state](const std::string &reason) {
    for (const std::unique_ptr<RankExecutor> &executor : state->executors)
      executor->abort(reason);
  };
  task->checkPeers = [state = state] {
    for (const std::unique_ptr<RankExecutor> &executor : state->executors)
      if (Status status = executor->checkPeers(); !status.ok())
        return status;
    return Status();
  };
  for (const std::unique_ptr<RankExecutor> &executor : state->executors)
    task->progress.push_back(&executor->progress());
  task->work = &state->work;
  task->firstRank = state->world->firstRank();
  task->timeout = state->options.timeout;
  if (!world().isSingleProcess())
    task->world = state->world.get();
  Status status = runRankThreads(std::move(task));
  if (!status.ok())
    world().keep(state);
  // A launcher ends all processes when the first one ends. The process whose own rank failed should
  // end first.
  if (status.kind() == StatusKind::Aborted && !world().isSingleProcess())
    std::this_thread::sleep_for(std::chrono::seconds(1));
  return status;
}

namespace {

Expected<const abi::Parameter *> findParameter(const abi::Program &program,
                                               const std::string &name) {
  for (const abi::Parameter &parameter : program.parameters())
    if (parameter.name() == name)
      return &parameter;
  return Status::badUsage(fmt::format("the program has no parameter '{}'", name));
}

/// Returns the parameter in the rank's program, or null.
const abi::Parameter *ownParameter(const RankExecutor &rank, const std::string &name) {
  for (const abi::Parameter &parameter : rank.program().parameters())
    if (parameter.name() == name)
      return &parameter;
  return nullptr;
}

bool hasShape(const Tensor &tensor, const abi::Block &block, int64_t rowsFactor) {
  std::vector<int64_t> shape(block.global_shape().begin(), block.global_shape().end());
  if (!shape.empty())
    shape[0] *= rowsFactor;
  return tensor.type == block.type() && tensor.shape == shape;
}

/// Copies this rank's rows of block number `number` of every input, and of the following blocks if
/// an action covers `copies` copies.
Status fillInputs(RankExecutor &rank, const NamedTensors &batch, int64_t number, uint32_t copies) {
  BufferWriter writer(rank);
  for (const abi::Input &input : rank.program().inputs()) {
    const abi::Block &block = input.block();
    int64_t bytes =
        *abi::elementCount(block.global_shape()) * int64_t(abi::elementBytes(block.type()));
    for (uint32_t copy = 0; copy < copies; ++copy)
      copyBlockOut(block, rank.executable().mesh(), rank.rank(),
                   batch.at(input.name()).data.data() + (number + copy) * bytes,
                   writer.at(abi::bufferOfCopy(input, copy)));
  }
  return writer.send();
}

/// The blocks of some results of the union of all programs, by rank. Ranks without a block have an
/// empty tensor.
using ResultBlocks = std::map<const abi::Result *, std::vector<Tensor>>;

/// Returns the rank's own result that belongs to a result of the union of all programs, or null.
const abi::Result *ownResult(const RankExecutor &rank, const abi::Result &result) {
  int found = abi::findResult(rank.program(), result);
  return found < 0 ? nullptr : &rank.program().results(found);
}

ResultBlocks makeBlocks(const abi::Program &program, int64_t ranks, abi::ResultRole role) {
  ResultBlocks blocks;
  for (const abi::Result &result : program.results())
    if (result.role() == role)
      blocks[&result].resize(ranks);
  return blocks;
}

/// Moves out the blocks of one program's ranks; the others stay empty.
std::vector<Tensor> takeBlocks(std::vector<Tensor> &blocks, abi::RankRange ranks) {
  std::vector<Tensor> own(blocks.size());
  for (int64_t rank = ranks.first; rank < ranks.end; ++rank)
    own[rank] = std::move(blocks[rank]);
  return own;
}

/// Reads the blocks of results that the rank's program has, from one section or from all (-1).
Status readBlocks(const RankExecutor &rank, int64_t section, ResultBlocks &blocks) {
  for (auto &[result, ofRanks] : blocks) {
    const abi::Result *own = ownResult(rank, *result);
    if (!own || (section >= 0 && own->section() != section))
      continue;
    Expected<Tensor> block = rank.read(own->block(), own->buffer());
    if (!block)
      return block.status();
    ofRanks[rank.rank()] = std::move(*block);
  }
  return {};
}

/// Assembles the global results. Each program has its own blocks of a result. If several programs
/// have the result, the first one's value counts, or the sum if the result is a sum of programs.
NamedTensors assembleAll(ResultBlocks blocks, const abi::Executable &executable) {
  NamedTensors tensors;
  for (auto &[result, list] : blocks)
    for (int p = 0; p < executable.programs_size(); ++p) {
      int found = abi::findResult(executable.programs(p), *result);
      bool isKnown = tensors.contains(result->name());
      if (found < 0 || (isKnown && !abi::isSumOfPrograms(executable, *result)))
        continue;
      Tensor part = assemble(executable.programs(p).results(found), executable.mesh(),
                             takeBlocks(list, abi::ranksOfProgram(executable, p)));
      Tensor &total = tensors[result->name()];
      if (!isKnown)
        total = std::move(part);
      for (int64_t i = 0; isKnown && i < total.count(); ++i)
        total.set(i, total.at(i) + part.at(i));
    }
  return tensors;
}

} // namespace

static Tensor zerosOf(const abi::Block &block) {
  return Tensor::zeros(block.type(), {block.global_shape().begin(), block.global_shape().end()});
}

Status Session::setParameter(const std::string &name, const Tensor &global) {
  auto parameter = findParameter(program(), name);
  if (!parameter)
    return parameter.status();
  if (Status status = needSingleProcess(); !status.ok())
    return status;
  if (!hasShape(global, (*parameter)->block(), 1))
    return Status::badUsage(fmt::format("'{}': the tensor has another type or shape", name));
  for (const std::unique_ptr<RankExecutor> &rank : state->executors)
    if (const abi::Parameter *own = ownParameter(*rank, name)) {
      BufferWriter writer(*rank);
      copyBlockOut(own->block(), executable().mesh(), rank->rank(), global.data.data(),
                   writer.at(own->buffer()));
      if (Status status = writer.send(); !status.ok())
        return status;
    }
  return {};
}

Expected<Tensor> Session::parameter(const std::string &name, int64_t rank) const {
  auto parameter = findParameter(program(), name);
  if (!parameter)
    return parameter.status();
  if (Status status = needSingleProcess(); !status.ok())
    return status;
  if (rank < 0 || rank >= ranks())
    return Status::badUsage(fmt::format("expected a rank below {}, got {}", ranks(), rank));
  const abi::Parameter *own = ownParameter(*state->executors[rank], name);
  if (!own)
    return Status::badUsage(fmt::format("rank {} has no parameter '{}'", rank, name));
  return state->executors[rank]->read(own->block(), own->buffer());
}

Expected<Tensor> Session::parameter(const std::string &name) const {
  auto parameter = findParameter(program(), name);
  if (!parameter)
    return parameter.status();
  if (Status status = needSingleProcess(); !status.ok())
    return status;
  Tensor global = zerosOf((*parameter)->block());
  // In reverse, so that the first rank's program wins if several programs have the parameter.
  for (size_t r = state->executors.size(); r-- > 0;)
    if (const RankExecutor &rank = *state->executors[r];
        const abi::Parameter *own = ownParameter(rank, name)) {
      std::vector<std::byte> copy;
      auto bytes = rank.read(own->buffer(), size_t(localBytes(own->block())), copy);
      if (!bytes)
        return bytes.status();
      copyBlockIn(own->block(), executable().mesh(), rank.rank(), bytes->data(),
                  global.data.data());
    }
  return global;
}

Status Session::needSingleProcess() const {
  if (world().isSingleProcess())
    return {};
  return Status::badUsage(
      fmt::format("expected all ranks in one process, got {} processes", world().processes()));
}

Status Session::saveParameters(const std::string &path, bool mustBeFinite) {
  return onEveryRank([this, path, mustBeFinite](RankExecutor &rank) {
    return saveOnRank(rank, path, mustBeFinite);
  });
}

Status Session::finish() {
  if (world().isSingleProcess())
    return {};
  return onEveryRank([](RankExecutor &rank) { return rank.barrier("for the end of the run"); });
}

Status Session::saveOnRank(RankExecutor &rank, const std::string &path, bool mustBeFinite) const {
  if (rank.rank() != 0)
    return world().isSingleProcess() ? Status()
                                     : sendParameters(rank, world().placement.firstOf(1));
  LocalWork work = rank.atWork("saves parameters");
  auto globalOf = [&](const abi::Parameter &parameter) -> Expected<std::vector<std::byte>> {
    Expected<Tensor> global =
        world().isSingleProcess() ? this->parameter(parameter.name()) : gather(rank, parameter);
    if (!global)
      return global.status();
    return std::move(global->data);
  };
  return runtime::saveParameters(path, program(), globalOf, mustBeFinite);
}

/// Gathers a parameter's global value on rank 0, from this process's ranks and from the ranks of
/// other processes.
Expected<Tensor> Session::gather(RankExecutor &first, const abi::Parameter &parameter) const {
  Tensor global = zerosOf(parameter.block());
  for (const ParameterHolder &holder : holdersOf(executable(), parameter.name())) {
    const abi::Block &block = holder.parameter->block();
    size_t size = size_t(localBytes(block));
    std::vector<std::byte> bytes;
    if (holder.rank < world().placement.firstOf(1)) {
      bytes.resize(size);
      const RankExecutor &own = *state->executors[size_t(holder.rank)];
      if (Status status = own.read(bytes, holder.parameter->buffer()); !status.ok())
        return status;
    } else {
      Expected<std::vector<std::byte>> received =
          first.receiveFrom(holder.rank, size, holder.index);
      if (!received)
        return received.status();
      bytes = std::move(*received);
    }
    abi::beat();
    copyBlockIn(block, executable().mesh(), holder.rank, bytes.data(), global.data.data());
  }
  return global;
}

/// Checks that `batch` has every input, with the rows of `microbatches` microbatches.
Status Session::checkBatch(const NamedTensors &batch, int64_t microbatches) const {
  for (const abi::Input &input : program().inputs()) {
    auto found = batch.find(input.name());
    if (found == batch.end())
      return Status::badUsage(fmt::format("the batch has no input '{}'", input.name()));
    if (!hasShape(found->second, input.block(), microbatches))
      return Status::badUsage(
          fmt::format("the input '{}' has another type or shape", input.name()));
  }
  return {};
}

Expected<StepResults> Session::runStep(const NamedTensors &batch) {
  if (Status status = needSingleProcess(); !status.ok())
    return status;
  const abi::BatchPlan &plan = executable().batch();
  int64_t copies = plan.copies();
  if (Status status = checkBatch(batch, plan.micro_batches() * copies); !status.ok())
    return status;
  // Shared, since a rank thread that never returns may outlive this call.
  auto gradients = std::make_shared<ResultBlocks>(makeBlocks(program(), ranks(), abi::GRADIENT));
  LossReader losses(executable());
  auto values = std::make_shared<std::vector<double>>(ranks());
  uint32_t copiesPerAction = abi::copiesPerAction(plan);
  Status status = onEveryRank([=, step = step](RankExecutor &rank) {
    StepHooks hooks;
    hooks.fill = [&](const abi::Action &action) {
      return fillInputs(rank, batch, action.microbatch() * copies + action.copy(), copiesPerAction);
    };
    hooks.sectionDone = [&](uint32_t section) {
      Status status = losses.readAfter(section, rank, (*values)[rank.rank()]);
      return status.ok() ? readBlocks(rank, section, *gradients) : status;
    };
    return rank.runStep(step, hooks);
  });
  if (!status.ok())
    return status;
  ++step;
  StepResults results{losses.total(*values), {}, assembleAll(std::move(*gradients), executable())};
  for (double value : *values)
    results.ownLosses.push_back(losses.own(value));
  return results;
}

Expected<NamedTensors> Session::runForward(const NamedTensors &microbatch) {
  if (sectionOfName(program(), "forward") < 0)
    return Status::badUsage("the program has no section 'forward'");
  if (Status status = needSingleProcess(); !status.ok())
    return status;
  if (Status status = checkBatch(microbatch, 1); !status.ok())
    return status;
  auto outputs = std::make_shared<ResultBlocks>(makeBlocks(program(), ranks(), abi::OUTPUT));
  Status status = onEveryRank([=](RankExecutor &rank) {
    Status status = fillInputs(rank, microbatch, 0, /*copies=*/1);
    int section = sectionOfName(rank.program(), "forward");
    if (status.ok() && section >= 0)
      status = rank.runSection(uint32_t(section));
    return status.ok() ? readBlocks(rank, /*section=*/-1, *outputs) : status;
  });
  if (!status.ok())
    return status;
  return assembleAll(std::move(*outputs), executable());
}

double Session::finiteCheckSeconds() const {
  double seconds = 0;
  for (const std::unique_ptr<RankExecutor> &executor : state->executors)
    seconds = std::max(seconds, executor->finiteCheckSeconds());
  return seconds;
}

std::vector<MemoryUse> Session::memoryUse() const {
  std::vector<MemoryUse> list;
  for (const std::unique_ptr<RankExecutor> &rank : state->executors)
    list.push_back(rank->memoryUse());
  return list;
}

Expected<std::vector<std::vector<TraceEntry>>> Session::traces() const {
  std::vector<std::vector<TraceEntry>> list;
  for (const std::unique_ptr<RankExecutor> &rank : state->executors) {
    Expected<std::vector<TraceEntry>> entries = rank->trace().entries();
    if (!entries)
      return entries.status();
    list.push_back(std::move(*entries));
  }
  return list;
}

int sectionOfName(const abi::Program &program, const std::string &name) {
  for (int s = 0; s < program.sections_size(); ++s)
    if (program.sections(s).name() == name)
      return s;
  return -1;
}

} // namespace pcc::runtime
