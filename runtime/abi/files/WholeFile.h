// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes files as a whole. Also reads parts of large files.

#pragma once

#include "runtime/abi/Status.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace pcc::abi {

/// Largest file that is read as a whole: the largest message that protobuf can parse.
inline constexpr uint64_t maxFileBytes = std::numeric_limits<int32_t>::max();

/// Returns the content of a file of at most `maxFileBytes`. The error (BadInput) names the file.
Expected<std::string> readFile(const std::string &path);

/// Makes the names in a folder durable. The error (BadInput) names the folder. A file system that
/// cannot sync folders has no such guarantee, which is no error.
Status syncFolder(const std::string &folder);

/// An open file, of which parts are read.
class InputFile {
public:
  /// The error (BadInput) names the file.
  static Expected<InputFile> open(const std::string &path);
  ~InputFile();
  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) noexcept;

  uint64_t size() const { return bytes; }
  /// Returns whether parts can be read: a pipe or a device has only one order.
  bool isRegular() const { return regular; }
  /// Fills `out` with the bytes from `offset` on. Errors (BadInput) name the file.
  Status readAt(uint64_t offset, std::span<std::byte> out) const;

private:
  InputFile(std::string path, int file) : path(std::move(path)), file(file) {}

  std::string path;
  int file;           ///< descriptor; -1: moved from
  uint64_t bytes = 0; ///< when it was opened
  bool regular = false;
};

/// Writes a file to a temporary name in the same folder, part by part, and renames the complete
/// file. So the old or the new file is whole at any time, also after a crash of the machine. Errors
/// (BadInput) name the file.
///
/// The temporary file is new and has a random name, PATH.RANDOM.part. Its writer holds a lock on
/// it; the next writer of PATH removes those without a lock, which a killed process left behind.
/// A link is followed. A device or a pipe, such as /dev/stdout, is not replaced: bytes go to it.
class FileWriter {
public:
  static Expected<FileWriter> create(const std::string &name);
  /// Removes the temporary file unless it was committed.
  ~FileWriter();
  FileWriter(FileWriter &&other) noexcept;
  FileWriter &operator=(FileWriter &&) = delete;

  /// Takes space for `bytes` bytes from the file system, so that a full disk is an error before the
  /// first of them is written. Does nothing where a file system cannot.
  Status reserve(uint64_t bytes);
  Status append(std::string_view bytes);
  /// Syncs the file, gives it its final name and syncs the folder. Nothing may be appended
  /// afterwards.
  Status commit();

private:
  FileWriter(std::string path, std::string temporary, int file)
      : path(std::move(path)), temporary(std::move(temporary)), file(file) {}
  Status failure() const;

  std::string path;      ///< of the file itself, not of a link to it
  std::string temporary; ///< empty: bytes go to `path`
  int file;              ///< descriptor; -1: committed, failed or moved from
  uint64_t unsynced = 0; ///< bytes that may not be on the disk yet
};

/// Writes a file as a whole, as FileWriter does.
Status writeFile(const std::string &path, std::string_view content);

} // namespace pcc::abi
