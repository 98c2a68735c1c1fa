// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks through the headers of an archive, 512 bytes each, without reading the files. Long names
// come as an entry of GNU tar before the file, or as a record of a pax header, which may also state
// the size (POSIX.1-2017, pax; GNU tar manual, "Basic Tar Format"). A hard link is the file of
// that name before it.

#include "runtime/data/formats/Formats.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace pcc::runtime {
namespace {

constexpr uint64_t blockBytes = 512;

std::string_view textOf(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

/// Reads a number of a header: octal digits, or big-endian bytes if the first bit is set.
std::optional<uint64_t> readNumber(std::span<const std::byte> field) {
  uint64_t number = 0;
  if (int(field[0]) & 0x80) {
    for (std::byte byte : field.subspan(1))
      number = (number >> 56) != 0 ? UINT64_MAX : number << 8 | uint64_t(byte);
    return number == UINT64_MAX ? std::nullopt : std::optional(number);
  }
  std::string_view text = textOf(field);
  size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  if (begin == std::string_view::npos)
    return 0;
  text = text.substr(begin, end - begin + 1);
  auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  return error == std::errc() && next == text.data() + text.size() ? std::optional(number)
                                                                   : std::nullopt;
}

/// Returns whether the header has the sum of its bytes, with spaces in place of the sum.
bool hasChecksum(std::span<const std::byte> header) {
  constexpr size_t begin = 148, count = 8;
  uint64_t sum = count * ' ';
  for (size_t at = 0; at < header.size(); ++at)
    if (at < begin || at >= begin + count)
      sum += uint64_t(header[at]);
  return readNumber(header.subspan(begin, count)) == sum;
}

/// The name and the size that entries before a file state for it.
struct Stated {
  std::optional<std::string> name, target; ///< target: of a link
  std::optional<uint64_t> bytes;
};

/// Reads the records "LENGTH KEY=VALUE\n" of a pax header. Returns whether they are well-formed.
bool readPax(std::string_view text, Stated &stated) {
  while (!text.empty()) {
    size_t length = 0;
    auto [space, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    size_t digits = size_t(space - text.data());
    if (error != std::errc() || length > text.size() || length < digits + 2 || *space != ' ')
      return false;
    std::string_view record = text.substr(digits + 1, length - digits - 2);
    size_t equals = record.find('=');
    if (equals == std::string_view::npos)
      return false;
    std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "path")
      stated.name = value;
    if (key == "linkpath")
      stated.target = value;
    uint64_t bytes = 0;
    if (key == "size") {
      if (std::from_chars(value.data(), value.data() + value.size(), bytes).ec != std::errc())
        return false;
      stated.bytes = bytes;
    }
    text.remove_prefix(length);
  }
  return true;
}

/// Returns the name in a header: of ustar, behind the prefix.
std::string nameIn(std::span<const std::byte> header) {
  std::string name(textOf(header.first(100)));
  std::string_view prefix = textOf(header.subspan(345, 155));
  bool isUstar = textOf(header.subspan(257, 5)) == "ustar" && header[262] == std::byte(0);
  return isUstar && !prefix.empty() ? fmt::format("{}/{}", prefix, name) : name;
}

} // namespace

Expected<std::vector<TarMember>> listTar(const std::string &path,
                                         std::span<const std::byte> bytes) {
  std::vector<TarMember> members;
  std::unordered_map<std::string, size_t> numbers; // of members, if there are links
  size_t numbered = 0;
  Stated stated;
  for (uint64_t at = 0; at < bytes.size();) {
    auto damaged = [&](const char *reason) {
      return Status::badInput(fmt::format("{}: damaged at byte {}: {}", path, at, reason));
    };
    if (bytes.size() - at < blockBytes)
      return damaged("the file ends too early");
    std::span<const std::byte> header = bytes.subspan(at, blockBytes);
    if (std::ranges::all_of(header, [](std::byte byte) { return byte == std::byte(0); }))
      break; // the end of the archive
    if (!hasChecksum(header))
      return damaged("expected the header of a file in a tar archive with its checksum");
    char type = char(header[156]);
    bool isFile = type == '0' || type == '\0' || type == '7';
    bool isOther = type >= '1' && type <= '6'; // links, folders, devices
    std::optional<uint64_t> size = readNumber(header.subspan(124, 12));
    if (isFile && stated.bytes)
      size = stated.bytes;
    if (isOther)
      size = 0; // they have no content, whatever their size
    uint64_t begin = at + blockBytes;
    if (!size)
      return damaged("the size of the file is no number");
    if (*size > bytes.size() - begin)
      return damaged("the file ends too early");
    std::span<const std::byte> content = bytes.subspan(begin, *size);
    std::string name = stated.name.value_or(nameIn(header));
    if (type == 'L') {
      stated.name = textOf(content);
    } else if (type == 'K') {
      stated.target = textOf(content);
    } else if (type == 'x') {
      if (!readPax({reinterpret_cast<const char *>(content.data()), content.size()}, stated))
        return damaged("expected records of a pax header");
    } else if (isFile) {
      members.push_back({name, begin, *size});
    } else if (type == '1') {
      std::string target = stated.target.value_or(std::string(textOf(header.subspan(157, 100))));
      for (; numbered < members.size(); ++numbered)
        numbers[members[numbered].name] = numbered;
      auto file = numbers.find(target);
      if (file == numbers.end())
        return damaged("expected a link to a file before it");
      TarMember linked = members[file->second];
      linked.name = name;
      members.push_back(std::move(linked));
    } else if (type == '2' || type == 'S') {
      return Status::badInput(fmt::format("{}: expected whole files, got '{}', a {}", path, name,
                                          type == '2' ? "symbolic link" : "sparse file"));
    }
    if (isFile || isOther)
      stated = {};
    at = begin + (*size + blockBytes - 1) / blockBytes * blockBytes;
  }
  return members;
}

} // namespace pcc::runtime
