// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/schedule/memory/MemoryPlanChecker.h"

#include <gtest/gtest.h>
#include <random>

using namespace pcc::schedule;
using pcc::task::Space;

namespace {

constexpr int64_t size = 40;

/// A reference implementation that stores one entry per byte.
struct ByteList {
  std::vector<uint32_t> held = std::vector<uint32_t>(size, 0);

  void write(const ByteSpan &span, uint32_t value) {
    std::fill(held.begin() + span.begin, held.begin() + span.end, value);
  }
  std::optional<MemoryContents::Held> findOther(const ByteSpan &span, uint32_t value) const {
    for (int64_t begin = span.begin; begin < span.end; ++begin) {
      if (held[begin] == value)
        continue;
      int64_t end = begin;
      while (end < span.end && held[end] == held[begin])
        ++end;
      return MemoryContents::Held{{span.space, begin, end}, held[begin]};
    }
    return std::nullopt;
  }
};

TEST(MemoryContents, HoldsWhatAListOfBytesHolds) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    MemoryContents bytes;
    ByteList list;
    auto anySpan = [&] {
      int64_t a = random() % (size + 1), b = random() % (size + 1);
      return ByteSpan{Space::Temporary, std::min(a, b), std::max(a, b)};
    };
    for (int i = 0; i < 50; ++i) {
      ByteSpan written = anySpan();
      uint32_t value = random() % 4;
      bytes.write(written, value);
      list.write(written, value);
      ByteSpan read = anySpan();
      for (uint32_t expected = 0; expected < 4; ++expected) {
        auto got = bytes.findOther(read, expected), other = list.findOther(read, expected);
        ASSERT_EQ(got.has_value(), other.has_value()) << "seed " << seed;
        if (!got)
          continue;
        EXPECT_EQ(got->span.begin, other->span.begin) << "seed " << seed;
        EXPECT_EQ(got->value, other->value) << "seed " << seed;
      }
    }
  }
}

TEST(MemoryContents, SpacesAreApart) {
  MemoryContents bytes;
  bytes.write({Space::Temporary, 0, 8}, 1);
  EXPECT_FALSE(bytes.findOther({Space::Temporary, 0, 8}, 1));
  EXPECT_EQ(bytes.findOther({Space::Persistent, 0, 8}, 1)->value, 0u);
}

} // namespace
