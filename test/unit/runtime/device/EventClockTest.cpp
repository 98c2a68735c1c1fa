// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timestamps in streams of the emulated GPU, which does its work when somebody waits for it.

#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/Stream.h"

#include <gtest/gtest.h>

#include <thread>

namespace pcc::test {
namespace {

using namespace runtime;
using namespace runtime::cuda;
using std::chrono::milliseconds;

/// Far larger than the error of an anchor, far smaller than any sleep here.
constexpr int64_t tolerance = 2'000'000;

template <typename T> T take(Expected<T> made) {
  EXPECT_TRUE(bool(made)) << made.status().describe();
  return std::move(*made);
}

class EventClockTest : public testing::Test {
protected:
  std::shared_ptr<const Gpu> gpu = take(Gpu::open(*Driver::get(), 0));
  std::unique_ptr<Stream> stream = take(Stream::make(gpu));
  std::unique_ptr<SideStream> side = take(SideStream::make(gpu));
  std::unique_ptr<EventClock> clock = take(EventClock::make(gpu));

  static std::optional<int64_t> timeOf(const TimestampHandle &mark) {
    Expected<std::optional<int64_t>> time = mark->time();
    EXPECT_TRUE(bool(time)) << time.status().describe();
    return *time;
  }
};

// Work that is enqueued early and done late has its completion time.
TEST_F(EventClockTest, TellsWhenWorkWasDone) {
  auto memory = take(allocateOn(gpu, 1 << 20));
  TimestampHandle begin = clock->mark(stream->get());
  ASSERT_TRUE(stream->fill(pointer(memory->base), 1 << 20).ok());
  TimestampHandle end = clock->mark(stream->get());
  EXPECT_FALSE(timeOf(begin) || timeOf(end)) << "nothing is done yet";
  std::this_thread::sleep_for(milliseconds(20));
  int64_t before = nowNanoseconds();
  ASSERT_TRUE(stream->synchronize().ok());
  int64_t after = nowNanoseconds();
  EXPECT_GE(*timeOf(begin), before - tolerance);
  EXPECT_LT(*timeOf(begin), *timeOf(end));
  EXPECT_LE(*timeOf(end), after + tolerance);
}

// A stream that waits for another one is in flight while the other one works.
TEST_F(EventClockTest, StreamsOverlap) {
  auto memory = take(allocateOn(gpu, 1 << 20));
  Event computed = take(Event::make(gpu));
  TimestampHandle beginsComputing = clock->mark(stream->get());
  ASSERT_TRUE(stream->fill(pointer(memory->base), 1 << 20).ok());
  TimestampHandle endsComputing = clock->mark(stream->get());
  ASSERT_TRUE(stream->record(computed).ok());
  TimestampHandle beginsMoving = clock->mark(side->get());
  ASSERT_TRUE(side->waitFor(computed).ok());
  TimestampHandle endsMoving = clock->mark(side->get());
  ASSERT_TRUE(side->synchronize().ok());
  EXPECT_LT(*timeOf(beginsMoving), *timeOf(beginsComputing));
  EXPECT_LT(*timeOf(beginsComputing), *timeOf(endsComputing));
  EXPECT_LT(*timeOf(endsComputing), *timeOf(endsMoving));
}

// A reused event marks another position. Timestamps outlive the clock.
TEST_F(EventClockTest, EventsAreUsedAgain) {
  std::vector<TimestampHandle> kept;
  int64_t latest = 0;
  for (int i = 0; i < 4; ++i) {
    TimestampHandle passing = clock->mark(stream->get());
    kept.push_back(clock->mark(stream->get()));
    ASSERT_TRUE(stream->synchronize().ok());
    EXPECT_GE(*timeOf(passing), latest);
    latest = *timeOf(kept.back());
    EXPECT_GE(latest, *timeOf(passing));
  }
  clock.reset();
  EXPECT_EQ(*timeOf(kept.back()), latest);
}

// Times stay exact long afterwards.
TEST_F(EventClockTest, DropsNewAnchors) {
  TimestampHandle first = clock->mark(stream->get());
  std::this_thread::sleep_for(milliseconds(1100));
  ASSERT_TRUE(clock->renew().ok());
  int64_t before = nowNanoseconds();
  TimestampHandle second = clock->mark(stream->get());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_NEAR(double(*timeOf(second)), double(before), double(tolerance));
  EXPECT_NEAR(double(*timeOf(first)), double(before), double(tolerance))
      << "the stream came there as late, whatever anchor it is told by";
}

// Queries of a failed stream return the error; a failed stream accepts no marks.
TEST_F(EventClockTest, ErrorsShowAtTheNextCall) {
  ASSERT_TRUE(stream->fill(DevicePointer(64), 8).ok());
  EXPECT_FALSE(stream->synchronize().ok());
  EXPECT_FALSE(clock->mark(stream->get()));
}

} // namespace
} // namespace pcc::test
