// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses POSIX calls: a temporary file beside the target, fsync, then an atomic rename. The temporary
// name contains the process id, so processes that write the same path do not share it.

#include "runtime/abi/WholeFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pcc::abi {
namespace {

std::string systemError() { return std::strerror(errno); }

/// Reads from `file` until its end or until `bytes` exceeds the limit. Returns the system's error,
/// or an empty string. `size` is the expected number of bytes.
std::string readAll(int file, uint64_t size, std::string &bytes) {
  bytes.reserve(size);
  char chunk[1 << 16];
  while (bytes.size() <= maxFileBytes) {
    ssize_t got = read(file, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? systemError() : "";
    bytes.append(chunk, got);
  }
  return "";
}

} // namespace

Expected<std::string> readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return Status::badInput(fmt::format("{}: cannot open: {}", path, systemError()));
  struct stat facts;
  uint64_t size = fstat(file, &facts) == 0 && facts.st_size > 0 ? facts.st_size : 0;
  std::string bytes, reason;
  if (size <= maxFileBytes)
    reason = readAll(file, size, bytes);
  close(file);
  if (!reason.empty())
    return Status::badInput(fmt::format("{}: cannot read: {}", path, reason));
  // A pipe has no size, and a file may grow while it is read.
  size = std::max<uint64_t>(size, bytes.size());
  if (size > maxFileBytes)
    return Status::badInput(fmt::format("{}: expected at most {} bytes, got {}{}", path,
                                        maxFileBytes, bytes.empty() ? "" : "at least ", size));
  return bytes;
}

Expected<FileWriter> FileWriter::create(const std::string &path) {
  std::string temporary = fmt::format("{}.{}.part", path, getpid());
  int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0)
    return Status::badInput(fmt::format("{}: cannot write: {}", path, systemError()));
  return FileWriter(path, std::move(temporary), file);
}

FileWriter::FileWriter(FileWriter &&other) noexcept
    : path(std::move(other.path)), temporary(std::move(other.temporary)),
      file(std::exchange(other.file, -1)) {}

FileWriter::~FileWriter() {
  if (file < 0)
    return;
  close(file);
  unlink(temporary.c_str());
}

Status FileWriter::failure() const {
  return Status::badInput(fmt::format("{}: cannot write: {}", path, systemError()));
}

Status FileWriter::append(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return failure();
    bytes.remove_prefix(written);
  }
  return {};
}

Status FileWriter::commit() {
  if (fsync(file) != 0 || rename(temporary.c_str(), path.c_str()) != 0)
    return failure();
  close(std::exchange(file, -1)); // all bytes are on the disk
  return {};
}

Status writeFile(const std::string &path, std::string_view content) {
  Expected<FileWriter> file = FileWriter::create(path);
  if (!file)
    return file.status();
  if (Status status = file->append(content); !status.ok())
    return status;
  return file->commit();
}

} // namespace pcc::abi
