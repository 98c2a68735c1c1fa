// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages on a connection to the store: a head, a key, a value. Numbers have the machine's
// byte order; all processes of a run have the same architecture.

#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace pcc::runtime::store {

enum class Operation : uint32_t {
  /// First message on a connection; `argument` is the number of the process, the value its name.
  /// Answered without values if the store has no token, else by Challenge.
  Hello,
  /// Sets a new key. `argument`: the number of gets after which the key is removed; 0: it stays.
  Set,
  /// Sets a key that stays, unless it already has a value.
  Offer,
  /// Gets the values of one or several keys, each ended by keyEnd. Answered when all are set, with
  /// their values (joinValue).
  Get,
  /// Adds `argument` to a number, which begins at 0; answered with the sum.
  Add,
  /// Last message: a process that disconnects without it is lost.
  Bye,
  /// Sent by the store: the answer to the Hello, Get or Add with the same number.
  Answer,
  /// Sent by the store: rejects a message, with the reason as value. It is the last message.
  Refusal,
  /// Sent by the store: its challenge, to a Hello with the same number (Token.h).
  Challenge,
  /// Second message of a process that got a challenge: its own challenge, then its proof. Answered
  /// with one value, the store's proof.
  Prove,
};

/// First word of every head, `pcc store`, which identifies the protocol.
constexpr uint64_t magic = 0x65726f7473636370;

/// Limits for all keys of a get, for a value, and for the name of a process that is not yet known.
/// No process of a run sends more.
constexpr uint64_t maxKeyBytes = uint64_t(1) << 28, maxValueBytes = uint64_t(1) << 40,
                   maxNameBytes = 1024;

struct Head {
  uint64_t word = magic;
  Operation operation = Operation::Hello;
  uint32_t keyBytes = 0;
  uint64_t valueBytes = 0;
  uint64_t number = 0;
  int64_t argument = 0;

  uint64_t size() const { return sizeof(Head) + keyBytes + valueBytes; }
  bool isFrame() const {
    return word == magic && keyBytes <= maxKeyBytes && valueBytes <= maxValueBytes;
  }
};

/// Returns the bytes of a frame.
inline std::string makeFrame(Head head, std::string_view key, std::string_view value) {
  head.keyBytes = uint32_t(key.size());
  head.valueBytes = value.size();
  std::string bytes;
  bytes.reserve(head.size());
  bytes.append(reinterpret_cast<const char *>(&head), sizeof head).append(key).append(value);
  return bytes;
}

/// Keys contain no line feeds.
constexpr char keyEnd = '\n';

/// Calls `take` with each of several keys.
template <typename Take> void forEachKey(std::string_view keys, Take take) {
  while (!keys.empty()) {
    size_t end = keys.find(keyEnd);
    take(std::string(keys.substr(0, end)));
    keys.remove_prefix(end == std::string_view::npos ? keys.size() : end + 1);
  }
}

/// Appends a value to a list: its length, then its bytes.
inline void joinValue(std::string &values, std::string_view value) {
  uint64_t size = value.size();
  values.append(reinterpret_cast<const char *>(&size), sizeof size).append(value);
}

/// Calls `take` with each of several values, as far as they are complete.
template <typename Take> void forEachValue(std::string_view values, Take take) {
  uint64_t size = 0;
  while (values.size() >= sizeof size) {
    std::memcpy(&size, values.data(), sizeof size);
    values.remove_prefix(sizeof size);
    if (size > values.size())
      return;
    take(values.substr(0, size));
    values.remove_prefix(size);
  }
}

} // namespace pcc::runtime::store
