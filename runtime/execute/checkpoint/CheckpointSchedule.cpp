// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps and epochs are the same on all ranks. On everything else the ranks agree by the maximum of
// their wishes: on signals, minutes, the end of writing, and on the step after which they agree
// next.

#include "runtime/execute/checkpoint/CheckpointSchedule.h"

#include "runtime/execute/checkpoint/StopSignals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

namespace pcc::runtime {

/// Time between two agreements in nanoseconds, and the most steps between them.
static constexpr int64_t agreementInterval = 250'000'000, maxStepsBetween = 1000;

Expected<CheckpointInterval> parseInterval(const char *flag, const std::string &text,
                                           bool takesMinutes) {
  struct Unit {
    std::string_view name;
    int64_t CheckpointInterval::*field;
  };
  static constexpr Unit units[] = {{"", &CheckpointInterval::steps},
                                   {"steps", &CheckpointInterval::steps},
                                   {"epochs", &CheckpointInterval::epochs},
                                   {"min", &CheckpointInterval::minutes}};
  constexpr int64_t most = 100'000'000; // so that minutes fit into 64 bits of nanoseconds
  CheckpointInterval interval;
  if (text.empty())
    return interval;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest(end, size_t(text.data() + text.size() - end));
  for (const Unit &unit : std::span(units).first(takesMinutes ? 4 : 3))
    if (error == std::errc() && rest == unit.name && number >= 1 && number <= most) {
      interval.*unit.field = number;
      return interval;
    }
  return Status::badUsage(fmt::format("{}: expected a number from 1 to {} with the unit steps "
                                      "(default){}, got '{}'",
                                      flag, most, takesMinutes ? ", epochs or min" : " or epochs",
                                      text));
}

Expected<CheckpointInterval> parseCheckpointInterval(const std::string &text) {
  return parseInterval("--checkpoint-every", text, /*takesMinutes=*/true);
}

CheckpointSchedule::CheckpointSchedule(const CheckpointInterval &every, int64_t firstRank,
                                       int64_t ownRanks)
    : every(every), firstRank(firstRank), agreements(size_t(ownRanks)) {
  for (Agreement &own : agreements)
    own.time = own.lastSave = nowNanoseconds();
}

void CheckpointSchedule::restart() {
  for (Agreement &own : agreements) {
    own.nextStep = 1;
    own.lastStep = -1;
  }
}

Expected<AfterStep> CheckpointSchedule::decide(RankExecutor &rank, const StepEnd &end,
                                               bool isWriting) {
  Agreement &own = agreements[size_t(rank.rank() - firstRank)];
  AfterStep after;
  if (end.isLast || end.steps >= own.nextStep) {
    Expected<AfterStep> agreed = agree(rank, own, end.steps, isWriting);
    if (!agreed)
      return agreed;
    after = *agreed;
  }
  after.saves |= end.isLast || (every.steps > 0 && end.steps % every.steps == 0) ||
                 (every.epochs > 0 && end.endsEpoch && end.epochs % every.epochs == 0);
  if (after.saves)
    own.lastSave = nowNanoseconds();
  return after;
}

Expected<AfterStep> CheckpointSchedule::agree(RankExecutor &rank, Agreement &own, int64_t steps,
                                              bool isWriting) {
  constexpr int64_t minute = 60'000'000'000;
  int64_t now = nowNanoseconds();
  bool isTimeOver =
      rank.rank() == 0 && every.minutes > 0 && now - own.lastSave >= every.minutes * minute;
  int64_t stepsSince = own.lastStep < 0 ? 1 : std::max<int64_t>(1, steps - own.lastStep);
  int64_t stepTime = std::max<int64_t>(1, (now - own.time) / stepsSince);
  std::array<int64_t, 5> wishes = {
      StopSignals::stopSignal(), StopSignals::saveRequests(), isTimeOver,
      std::clamp<int64_t>(agreementInterval / stepTime, 1, maxStepsBetween), isWriting};
  if (Status status = rank.maxOfRanks(wishes, "to agree on a checkpoint"); !status.ok())
    return status;
  AfterStep after{.saves = wishes[0] != 0 || wishes[1] > own.savesServed || wishes[2] != 0,
                  .finishes = wishes[4] == 0,
                  .stopSignal = int(wishes[0]),
                  .agrees = true};
  own.savesServed = wishes[1];
  own.time = nowNanoseconds();
  own.lastStep = steps;
  own.nextStep = steps + wishes[3];
  if (after.stopSignal != 0)
    agreedStop = after.stopSignal;
  return after;
}

} // namespace pcc::runtime
