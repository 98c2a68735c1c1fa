// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes over a connection to the store: a head, a key, a value. Numbers lie as machines have
// them; all processes of a run are of one architecture.

#ifndef PCC_RUNTIME_COLLECTIVE_STORE_FRAME_H
#define PCC_RUNTIME_COLLECTIVE_STORE_FRAME_H

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace pcc::runtime::store {

enum class Operation : uint32_t {
  /// The first thing on a connection; `argument` is the number of the process, the value its name.
  /// Answered without values.
  Hello,
  /// Of a key that nobody has set. `argument`: the number of gets after which the key is gone; 0:
  /// it
  /// stays.
  Set,
  /// The same of a key that stays; where somebody has set it, what he said counts.
  Offer,
  /// Of one or several keys (joinKeys); answered when all are there, with their values
  /// (joinValues).
  Get,
  /// Adds `argument` to a number, which begins at 0; answered with the sum.
  Add,
  /// The last thing: whoever goes without it is lost.
  Bye,
  /// Of the store to a Hello, Get or Add of the same number.
  Answer,
  /// Of the store, to what it does not take; the value says why. Nothing comes after it.
  Refusal,
};

/// In front of every head: the word `pcc store`, by which others are told.
constexpr uint64_t magic = 0x65726f7473636370;

/// What is more comes from no process of a run: of all keys of a get, of a value, of the name of a
/// process, which nobody knows yet.
constexpr uint64_t mostKeyBytes = uint64_t(1) << 28, mostValueBytes = uint64_t(1) << 40,
                   mostNameBytes = 1024;

struct Head {
  uint64_t word = magic;
  Operation operation = Operation::Hello;
  uint32_t keyBytes = 0;
  uint64_t valueBytes = 0;
  uint64_t number = 0;
  int64_t argument = 0;

  uint64_t size() const { return sizeof(Head) + keyBytes + valueBytes; }
  bool isFrame() const {
    return word == magic && keyBytes <= mostKeyBytes && valueBytes <= mostValueBytes;
  }
};

/// The bytes of a frame.
inline std::string makeFrame(Head head, std::string_view key, std::string_view value) {
  head.keyBytes = uint32_t(key.size());
  head.valueBytes = value.size();
  std::string bytes;
  bytes.reserve(head.size());
  bytes.append(reinterpret_cast<const char *>(&head), sizeof head).append(key).append(value);
  return bytes;
}

/// Keys have no line feeds.
constexpr char keyEnd = '\n';

/// Calls `take` with each of several keys.
template <typename Take> void forEachKey(std::string_view keys, Take take) {
  while (!keys.empty()) {
    size_t end = keys.find(keyEnd);
    take(std::string(keys.substr(0, end)));
    keys.remove_prefix(end == std::string_view::npos ? keys.size() : end + 1);
  }
}

/// Adds a value to several: its length, then it.
inline void joinValue(std::string &values, std::string_view value) {
  uint64_t size = value.size();
  values.append(reinterpret_cast<const char *>(&size), sizeof size).append(value);
}

/// Calls `take` with each of several values, as far as they are whole.
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

#endif // PCC_RUNTIME_COLLECTIVE_STORE_FRAME_H
