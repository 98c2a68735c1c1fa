// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file to which a run appends entries. A killed run leaves whole entries, because each is one
// call of write(). A full disk leaves whole entries, because the bytes of a partial one are cut
// off.

#pragma once

#include "runtime/base/Base.h"

#include <functional>
#include <string>
#include <string_view>

namespace pcc::runtime {

class AppendedFile {
public:
  using Warn = std::function<void(const std::string &)>;

  /// Opens the file, or makes it. A regular file keeps its first `keptBytes` bytes. `warn` gets the
  /// first failure of append(). The error (BadInput) names the file.
  static Expected<AppendedFile> open(const std::string &path, int64_t keptBytes, Warn warn);
  ~AppendedFile();
  AppendedFile(AppendedFile &&other) noexcept;
  AppendedFile &operator=(AppendedFile &&) = delete;

  /// Appends all bytes of the entry, or none. After a failure, the next entry is tried again. A
  /// closed pipe and a limit of the file's size are failures, too, and send no signal.
  void append(std::string_view entry);

private:
  AppendedFile(std::string path, int file, Warn warn)
      : path(std::move(path)), file(file), warn(std::move(warn)) {}

  std::string path;
  int file; ///< descriptor; -1: moved from
  Warn warn;
  bool hasWarned = false;
};

/// Returns the size of the lines that stay when a run goes on after `start` steps: those before the
/// first line of a later step, and before an unfinished line. 0 if there is no regular file.
/// `stepOf` returns the step of a line, or 0 if it has none. BadInput if the file cannot be read.
Expected<int64_t> sizeOfKeptLines(const std::string &path, int64_t start,
                                  const std::function<int64_t(std::string_view)> &stepOf);

/// Checks before a run that entries can be appended to `path`, the value of `flag`. BadInput if the
/// file is a folder or cannot be written, or if its folder does not exist.
Status checkAppendedPath(const char *flag, const std::string &path);

} // namespace pcc::runtime
