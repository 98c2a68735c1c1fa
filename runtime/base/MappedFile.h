// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file whose bytes are read in place, as if it were in memory. It may be larger than memory.
//
//   Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
//   std::memcpy(out, (*file)->bytes().data() + offset, count);
//   Status status = (*file)->finishRead(count);

#pragma once

#include "runtime/base/Base.h"

#include <atomic>
#include <csignal>
#include <span>
#include <string>

namespace pcc::runtime {

/// Any number of threads may use a file at once.
class MappedFile {
public:
  /// Maps a regular file with the size that it has now. Errors name the file: not there, a folder,
  /// a pipe, no address space.
  static Expected<std::shared_ptr<const MappedFile>> open(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const std::string &path() const { return name; }
  std::span<const std::byte> bytes() const { return content; }

  /// Called after `count` consecutive bytes were read. From time to time it gives the pages back to
  /// the system, so that resident memory stays constant. Errors (BadInput) name the file: a part of
  /// it could not be read, or is no longer there. What was read is then zero.
  Status finishRead(uint64_t count) const;

private:
  /// A range of addresses that the handler of SIGBUS knows.
  struct Range;
  static std::atomic<Range *> firstRange;
  MappedFile(std::string path, int file, std::span<const std::byte> content);
  static Range *addRange(std::span<const std::byte> content);
  static void replaceLostPage(int signal, siginfo_t *info, void *context);

  const std::string name;
  const int file; ///< descriptor
  const std::span<const std::byte> content;
  Range *const range;
  /// Bytes of pages that may have become resident since they were last given back.
  mutable std::atomic<uint64_t> resident = 0;
};

} // namespace pcc::runtime
