// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of group members over the store, as bytes from any sender.

#include "runtime/collective/store/StoreCommunicator.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace pcc::test {
namespace {

using namespace runtime;

constexpr std::array<float, 6> values = {1, 2, 3, 4, 5, 6};

std::vector<CollectiveCall> someCalls() {
  CollectiveCall reduce{.kind = abi::ALL_REDUCE, .source = values.data(), .shape = {2, 3}};
  CollectiveCall exchange{.kind = abi::BLOCK_EXCHANGE, .source = values.data(), .shape = {6}};
  exchange.boxes = {{.source = 1, .target = 0}, {.source = 0, .target = 1}};
  return {reduce, CollectiveCall(), exchange};
}

TEST(Wire, WhatIsPackedIsUnpacked) {
  std::string bytes = store::packCalls(someCalls());
  auto calls = store::unpackCalls(bytes);
  ASSERT_TRUE(bool(calls)) << calls.status().message();
  ASSERT_EQ(calls->size(), 3u);
  EXPECT_EQ((*calls)[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp((*calls)[0].source, values.data(), sizeof values), 0);
  EXPECT_EQ((*calls)[1].kind, abi::BARRIER);
  EXPECT_EQ((*calls)[1].source, nullptr);
  ASSERT_EQ((*calls)[2].boxes.size(), 2u);
  EXPECT_EQ((*calls)[2].boxes[0].source, 1);
}

// Messages that are cut anywhere, or have bytes after the end.
TEST(Wire, EveryLengthIsChecked) {
  std::string bytes = store::packCalls(someCalls());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(bool(store::unpackCalls(bytes.substr(0, size)))) << size;
  EXPECT_EQ(store::unpackCalls(bytes + "x").status().message(),
            "expected the end after 3 calls, got 1 bytes");
  EXPECT_EQ(store::unpackCalls("").status().message(), "expected 16 bytes of a batch, got 0");
}

// Sets each number in the bytes to its maximum: no error reads out of bounds or allocates much
// memory.
TEST(Wire, HugeNumbers) {
  std::string bytes = store::packCalls(someCalls());
  auto look = [](const std::string &other, size_t at) {
    auto calls = store::unpackCalls(other);
    EXPECT_TRUE(calls ? calls->size() == 3 : !calls.status().message().empty()) << at;
  };
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::string other = bytes;
    std::memset(other.data() + at, 0xff, 4);
    look(other, at);
    std::memset(other.data() + at / 8 * 8, 0xff, 8);
    look(other, at);
  }
}

// The lengths of the first call follow the number of calls: 24 bytes after the start of a header
// are the lengths of its shape and its boxes, then that of its source.
TEST(Wire, LengthsThatAreNamed) {
  constexpr size_t header = 16, dimensions = header + 24, boxes = header + 28, source = header + 32;
  auto messageWith = [](size_t at, auto value) {
    std::string bytes = store::packCalls(someCalls());
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return store::unpackCalls(bytes).status().message();
  };
  EXPECT_TRUE(messageWith(dimensions, uint32_t(-1))
                  .starts_with("call 1 of 3: expected 34359738368 bytes of a shape, got "));
  EXPECT_TRUE(messageWith(boxes, uint32_t(-1))
                  .starts_with("call 1 of 3: expected 34359738368 bytes of boxes, got "));
  EXPECT_EQ(messageWith(source, uint64_t(20)),
            "call 1 of 3: expected a source of 6 elements of f32, got 20 bytes");
  EXPECT_EQ(messageWith(header + 8, int32_t(77)), "call 1 of 3: expected an element type, got 77");
  EXPECT_EQ(messageWith(header + 48, int64_t(-1)),
            "call 1 of 3: expected a shape of extents from 0 on and at most 2^62 elements, got "
            "[-1, 3]");
}

} // namespace
} // namespace pcc::test
