// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one thread per rank, none for a single rank, and reduces the outcome to one error. Failed
// ranks are reported before a deadlock, because a failure can cause it; messages that no rank
// received are reported last.
#include "compiler/interpret/rank/Rank.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/thread.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Stack size of a thread; small, because evaluation recurses only over calls.
constexpr unsigned stackBytes = 1 << 20;
/// Maximum number of notes about waiting ranks; more notes repeat the same fact.
constexpr size_t maxNotes = 8;

LogicalResult reportFailure(llvm::ArrayRef<Rank> ranks) {
  for (const Rank &rank : ranks)
    if (rank.hasFailed())
      return emitError(rank.getFailureLocation())
             << "on rank " << rank.getIndex() << ": " << rank.getFailure();
  return success();
}

LogicalResult reportStuck(const RendezvousTable &table, llvm::ArrayRef<Rank> ranks,
                          Location location) {
  llvm::ArrayRef<StuckRank> stuck = table.getStuck();
  if (stuck.empty())
    return success();
  InFlightDiagnostic diagnostic = emitError(location) << "all ranks that have not finished wait";
  for (const StuckRank &entry : stuck.take_front(maxNotes)) {
    std::string missing = llvm::join(
        llvm::map_range(entry.missing, [](int64_t r) { return std::to_string(r); }), ", ");
    diagnostic.attachNote(ranks[entry.rank].getWaitingOp()->getLoc())
        << "rank " << entry.rank << " waits in \"" << entry.channel << "\" for rank " << missing;
  }
  if (stuck.size() > maxNotes)
    diagnostic.attachNote(location) << stuck.size() - maxNotes << " more ranks wait";
  return failure();
}

LogicalResult reportUnfinished(const RendezvousTable &table, Location location) {
  if (std::optional<std::string> channel = table.findUnfinished())
    return emitError(location) << "no other rank joined \"" << *channel << "\"";
  return success();
}

void runThreads(llvm::MutableArrayRef<Rank> ranks, llvm::function_ref<void(Rank &)> run) {
  if (ranks.size() == 1)
    return run(ranks.front());
  std::vector<llvm::thread> threads;
  for (Rank &rank : ranks)
    threads.emplace_back(std::optional<unsigned>(stackBytes), [run, &rank] { run(rank); });
  for (llvm::thread &thread : threads)
    thread.join();
}

} // namespace

LogicalResult runRanks(const World &world, Precision precision, Location location,
                       llvm::function_ref<LogicalResult(Rank &)> body) {
  RendezvousTable table(world.getNumRanks());
  std::vector<Rank> ranks;
  for (int64_t index = 0; index < world.getNumRanks(); ++index)
    ranks.emplace_back(index, world, precision, table);
  // Accessors of attributes may create the attribute of a default value. The context allows this
  // from several threads only with multithreading enabled.
  MLIRContext *context = location.getContext();
  bool wasEnabled = context->isMultithreadingEnabled();
  context->enableMultithreading(true);
  std::vector<char> isDone(ranks.size(), false);
  runThreads(ranks, [&](Rank &rank) {
    isDone[rank.getIndex()] = succeeded(body(rank));
    table.leave();
  });
  context->enableMultithreading(wasEnabled);
  if (failed(reportFailure(ranks)) || failed(reportStuck(table, ranks, location)) ||
      failed(reportUnfinished(table, location)))
    return failure();
  return success(llvm::all_of(isDone, [](char done) { return done; }));
}

} // namespace pcc::interpret
