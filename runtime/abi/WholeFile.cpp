// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses POSIX calls: a temporary file beside the target, fsync, then an atomic rename. The temporary
// name contains the process id, so processes that write the same path do not share it.

#include "runtime/abi/WholeFile.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pcc::abi {
namespace {

std::string systemError() { return std::strerror(errno); }

} // namespace

Expected<std::string> readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return Status::badInput(fmt::format("{}: cannot open: {}", path, systemError()));
  struct stat facts;
  std::string bytes;
  if (fstat(file, &facts) == 0 && facts.st_size > 0)
    bytes.reserve(facts.st_size);
  char chunk[1 << 16];
  ssize_t got;
  while ((got = read(file, chunk, sizeof chunk)) > 0)
    bytes.append(chunk, got);
  std::string reason = got < 0 ? systemError() : "";
  close(file);
  if (!reason.empty())
    return Status::badInput(fmt::format("{}: cannot read: {}", path, reason));
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
