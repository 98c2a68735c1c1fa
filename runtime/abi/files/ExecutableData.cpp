// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are read by offset, not mapped: a mapped file that becomes shorter ends the process. A
// reader keeps the last chunk, because small parts are read one after the other.

#include "runtime/abi/files/ExecutableData.h"

#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/Heartbeat.h"
#include "runtime/abi/program/ProgramRanks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pcc::abi {
namespace {

uint64_t chunksOf(uint64_t bytes) { return bytes / dataChunkBytes + (bytes % dataChunkBytes != 0); }

/// Calls visit(initializer, name of its field) for all initial data, in the order of a file.
template <typename Message, typename Visit> void forEachInitial(Message &executable, Visit visit) {
  for (int p = 0; p < executable.programs_size(); ++p) {
    auto &program = [&]() -> auto & {
      if constexpr (std::is_const_v<Message>)
        return executable.programs(p);
      else
        return *executable.mutable_programs(p);
    }();
    for (int i = 0; i < program.parameters_size(); ++i)
      if (initialBytes(program.parameters(i).initializer()).value_or(0) > 0) {
        auto name = [p, i] {
          return fmt::format("programs[{}].parameters[{}].initializer.stored", p, i);
        };
        if constexpr (std::is_const_v<Message>)
          visit(program.parameters(i).initializer(), name);
        else
          visit(*program.mutable_parameters(i)->mutable_initializer(), name);
      }
  }
}

/// Assigns places in a file, one part after the other.
struct Placement {
  uint64_t end = 0;

  void place(DataRange &range, uint64_t bytes) {
    range.set_offset(alignData(end));
    range.set_bytes(bytes);
    end = range.offset() + bytes;
  }
};

} // namespace

uint64_t constantBytes(const Executable &executable) {
  return executable.has_stored_constants() ? executable.stored_constants().bytes()
                                           : executable.constants().size();
}

std::optional<uint64_t> initialBytes(const Initializer &initializer) {
  if (initializer.has_stored())
    return initializer.stored().bytes();
  return initializer.has_data() ? std::optional<uint64_t>(initializer.data().size()) : std::nullopt;
}

Expected<DataReader> DataReader::open(const Executable &executable) {
  DataReader reader(executable, {});
  if (executable.data().file().empty())
    return reader;
  Expected<InputFile> file = InputFile::open(executable.data().file());
  if (!file)
    return file.status();
  reader.file = std::move(*file);
  return reader;
}

/// Reads a chunk and checks its fingerprint.
Status DataReader::loadChunk(uint64_t number) {
  const StoredData &stored = executable->data();
  uint64_t begin = number * dataChunkBytes;
  uint64_t bytes = std::min(dataChunkBytes, stored.bytes() - begin);
  chunk.resize(bytes);
  loaded.reset();
  if (file) {
    if (Status status = file->readAt(stored.begin() + begin, chunk); !status.ok())
      return status;
  } else {
    std::memcpy(chunk.data(), data.data() + begin, bytes);
  }
  beat();
  uint64_t got = fingerprintOf({reinterpret_cast<const char *>(chunk.data()), bytes});
  if (uint64_t expected = stored.fingerprints(int(number)); got != expected) {
    Status status = Status::badInput(
        fmt::format("damaged: data from byte {} to {}: expected fingerprint {:016x}, got {:016x}",
                    stored.begin() + begin, stored.begin() + begin + bytes, expected, got));
    return file ? std::move(status).within(stored.file()) : status;
  }
  loaded = number;
  return {};
}

Status DataReader::read(const std::string &held, const DataRange *stored, uint64_t offset,
                        std::span<std::byte> out) {
  if (!stored) {
    std::memcpy(out.data(), held.data() + offset, out.size());
    return {};
  }
  offset += stored->offset();
  while (!out.empty()) {
    uint64_t number = offset / dataChunkBytes, begin = offset % dataChunkBytes;
    if (loaded != number)
      if (Status status = loadChunk(number); !status.ok())
        return status;
    uint64_t bytes = std::min<uint64_t>(out.size(), chunk.size() - begin);
    std::memcpy(out.data(), chunk.data() + begin, bytes);
    out = out.subspan(bytes);
    offset += bytes;
  }
  return {};
}

Status DataReader::readConstants(uint64_t offset, std::span<std::byte> out) {
  const DataRange *stored =
      executable->has_stored_constants() ? &executable->stored_constants() : nullptr;
  return read(executable->constants(), stored, offset, out);
}

Status DataReader::readInitial(const Initializer &initializer, uint64_t offset,
                               std::span<std::byte> out) {
  return read(initializer.data(), initializer.has_stored() ? &initializer.stored() : nullptr,
              offset, out);
}

Status DataReader::checkAll() {
  for (uint64_t number = 0; number < chunksOf(executable->data().bytes()); ++number)
    if (Status status = loadChunk(number); !status.ok())
      return status;
  return {};
}

DataRange constantsOf(const Executable &executable, int64_t first, int64_t ranks) {
  uint64_t begin = constantBytes(executable), end = 0;
  int own = programOfRank(executable, first), last = executable.programs_size() - 1;
  if (ranks > 0)
    last = std::min(last, programOfRank(executable, first + ranks - 1));
  for (; own <= last; ++own)
    for (const Buffer &buffer : executable.programs(own).memory().buffers())
      if (buffer.space() == CONSTANT) {
        begin = std::min(begin, buffer.offset());
        end = std::max(end, buffer.offset() + buffer.bytes());
      }
  DataRange range;
  range.set_offset(std::min(begin, end));
  range.set_bytes(end - range.offset());
  return range;
}

std::vector<std::string> takeData(Executable &executable) {
  std::vector<std::string> parts;
  Placement placement;
  auto take = [&](std::string *held, DataRange &range) {
    parts.push_back(std::move(*held));
    placement.place(range, parts.back().size());
  };
  if (!executable.constants().empty()) {
    take(executable.mutable_constants(), *executable.mutable_stored_constants());
    executable.clear_constants();
  }
  forEachInitial(executable, [&](Initializer &initializer, auto &&) {
    DataRange range;
    take(initializer.mutable_data(), range);
    *initializer.mutable_stored() = range;
  });
  if (parts.empty())
    return parts;
  StoredData &stored = *executable.mutable_data();
  stored.set_bytes(placement.end);
  (void)forEachChunk(parts, [&](std::string_view chunk) {
    stored.add_fingerprints(fingerprintOf(chunk));
    return Status();
  });
  return parts;
}

void putData(Executable &executable, std::vector<std::string> data) {
  auto next = data.begin();
  if (executable.has_stored_constants())
    *executable.mutable_constants() = std::move(*next++);
  forEachInitial(executable, [&](Initializer &initializer, auto &&) {
    *initializer.mutable_data() = std::move(*next++);
  });
  executable.clear_stored_constants();
  executable.clear_data();
}

Status holdData(Executable &executable, DataReader &reader) {
  std::vector<std::string> parts;
  Status status;
  auto hold = [&](uint64_t bytes, auto read) {
    if (!status.ok())
      return;
    parts.emplace_back(bytes, '\0');
    status = read(std::as_writable_bytes(std::span(parts.back())));
  };
  if (executable.has_stored_constants())
    hold(constantBytes(executable), [&](auto out) { return reader.readConstants(0, out); });
  forEachInitial(executable, [&](Initializer &initializer, auto &&) {
    hold(*initialBytes(initializer),
         [&](auto out) { return reader.readInitial(initializer, 0, out); });
  });
  if (status.ok())
    putData(executable, std::move(parts));
  return status;
}

Status forEachChunk(const std::vector<std::string> &parts,
                    const std::function<Status(std::string_view)> &visit) {
  std::string chunk;
  auto add = [&](std::string_view bytes) {
    while (!bytes.empty()) {
      uint64_t count = std::min<uint64_t>(bytes.size(), dataChunkBytes - chunk.size());
      chunk.append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      if (chunk.size() < dataChunkBytes)
        continue;
      beat();
      if (Status status = visit(chunk); !status.ok())
        return status;
      chunk.clear();
    }
    return Status();
  };
  uint64_t end = 0;
  for (const std::string &part : parts) {
    if (Status status = add(std::string(alignData(end) - end, '\0')); !status.ok())
      return status;
    if (Status status = add(part); !status.ok())
      return status;
    end = alignData(end) + part.size();
  }
  return chunk.empty() ? Status() : visit(chunk);
}

Status checkDataLayout(const Executable &executable) {
  const StoredData &data = executable.data();
  uint64_t end = 0;
  std::string wrong;
  auto check = [&](const DataRange &range, auto name) {
    if (!wrong.empty())
      return;
    uint64_t begin = alignData(end);
    if (range.offset() != begin)
      wrong = fmt::format("{}: expected offset {}, got {}", name(), begin, range.offset());
    else if (begin > data.bytes() || range.bytes() > data.bytes() - begin)
      wrong = fmt::format("{}: expected at most {} bytes from {} on, got {}", name(),
                          data.bytes() - std::min(begin, data.bytes()), begin, range.bytes());
    end = begin + range.bytes();
  };
  if (executable.has_stored_constants() && !executable.constants().empty())
    return Status::badInput("stored_constants: expected none beside constants in the message");
  if (executable.has_stored_constants())
    check(executable.stored_constants(), [] { return "stored_constants"; });
  forEachInitial(executable, [&](const Initializer &initializer, auto name) {
    if (initializer.has_stored())
      check(initializer.stored(), name);
  });
  if (!wrong.empty())
    return Status::badInput(wrong);
  if (data.bytes() != end)
    return Status::badInput(fmt::format("data.bytes: expected {}, got {}", end, data.bytes()));
  if (uint64_t count = chunksOf(end); uint64_t(data.fingerprints_size()) != count)
    return Status::badInput(
        fmt::format("data.fingerprints: expected {}, got {}", count, data.fingerprints_size()));
  if (!data.file().empty() || data.begin() != 0)
    return Status::badInput("data: expected no file in a file");
  return {};
}

} // namespace pcc::abi
