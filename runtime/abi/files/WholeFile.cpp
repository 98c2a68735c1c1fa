// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses POSIX calls: a new, locked file beside the target, fsync, then an atomic rename. Its random
// name keeps processes that write the same path apart. Calls that a signal interrupts are made
// again. Long files are written to the disk on the way, part by part: one fsync of a large file may
// take minutes, in which nothing shows that the writer moves on.

#include "runtime/abi/files/WholeFile.h"

#include "runtime/abi/files/Heartbeat.h"
#include "runtime/abi/files/RetryAfterSignal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pcc::abi {
namespace {

std::string systemError() { return std::strerror(errno); }

/// Bytes that are written before they are brought to the disk, and at once.
constexpr uint64_t syncBytes = uint64_t(64) << 20, writeBytes = uint64_t(4) << 20;

/// Reads from `file` until its end or until `bytes` exceeds the limit. Returns the system's error,
/// or an empty string. `size` is the expected number of bytes.
std::string readAll(int file, uint64_t size, std::string &bytes) {
  bytes.reserve(size);
  char chunk[1 << 16];
  while (bytes.size() <= maxFileBytes) {
    ssize_t got = retryAfterSignal([&] { return read(file, chunk, sizeof chunk); });
    if (got <= 0)
      return got < 0 ? systemError() : "";
    bytes.append(chunk, got);
    beat();
  }
  return "";
}

} // namespace

Expected<std::string> readFile(const std::string &path) {
  int file = retryAfterSignal([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); });
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

Expected<InputFile> InputFile::open(const std::string &path) {
  InputFile opened(path,
                   retryAfterSignal([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  struct stat facts;
  if (opened.file < 0 || fstat(opened.file, &facts) != 0)
    return Status::badInput(fmt::format("{}: cannot open: {}", path, systemError()));
  opened.regular = S_ISREG(facts.st_mode);
  opened.bytes = uint64_t(facts.st_size);
  return opened;
}

InputFile::~InputFile() {
  if (file >= 0)
    close(file);
}

InputFile::InputFile(InputFile &&other) noexcept
    : path(std::move(other.path)), file(std::exchange(other.file, -1)), bytes(other.bytes),
      regular(other.regular) {}

InputFile &InputFile::operator=(InputFile &&other) noexcept {
  std::swap(path, other.path);
  std::swap(file, other.file);
  std::swap(bytes, other.bytes);
  std::swap(regular, other.regular);
  return *this;
}

Status InputFile::readAt(uint64_t offset, std::span<std::byte> out) const {
  constexpr size_t partBytes = size_t(1) << 20;
  while (!out.empty()) {
    ssize_t got = retryAfterSignal(
        [&] { return pread(file, out.data(), std::min(out.size(), partBytes), off_t(offset)); });
    if (got < 0)
      return Status::badInput(fmt::format("{}: cannot read: {}", path, systemError()));
    if (got == 0)
      return Status::badInput(fmt::format(
          "{}: expected {} more bytes at {}, got the end of the file", path, out.size(), offset));
    out = out.subspan(size_t(got));
    offset += uint64_t(got);
    beat();
  }
  return {};
}

namespace {

namespace fs = std::filesystem;

fs::path folderOf(const std::string &path) {
  fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

/// Returns the file that a link names, or `path` if it is no link or names nothing.
std::string followLinks(const std::string &path) {
  std::error_code error;
  fs::path file = fs::canonical(path, error);
  return error || !fs::is_symlink(path, error) ? path : file.string();
}

/// Returns whether `path` is a device, a pipe or a socket.
bool isSpecial(const std::string &path) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// Removes the temporary files of `path` whose writers are gone. Failures do not matter here.
void removeAbandoned(const std::string &path) {
  std::string prefix = fs::path(path).filename().string() + ".";
  std::error_code error;
  for (fs::directory_iterator entry(folderOf(path), error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".part") ||
        name.size() != prefix.size() + 16 + std::string_view(".part").size())
      continue;
    int file = open(entry->path().c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
      continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
      unlink(entry->path().c_str());
    close(file);
  }
}

/// Creates a file of a new name and locks it. Returns -1 after an error, which is in errno.
int createTemporary(const std::string &path, std::string &temporary) {
  constexpr int attempts = 16;
  std::random_device random;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    temporary = fmt::format("{}.{:08x}{:08x}.part", path, random(), random());
    int file = retryAfterSignal([&] {
      return open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    });
    if (file >= 0)
      (void)flock(file, LOCK_EX | LOCK_NB); // a file system without locks keeps abandoned files
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

} // namespace

Status syncFolder(const std::string &folder) {
  int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool isSynced = file >= 0 && retryAfterSignal([&] { return fsync(file); }) == 0;
  int problem = isSynced ? 0 : errno;
  if (file >= 0)
    close(file);
  if (isSynced || problem == EINVAL)
    return {};
  return Status::badInput(fmt::format("{}: cannot write: {}", folder, std::strerror(problem)));
}

Expected<FileWriter> FileWriter::create(const std::string &name) {
  std::string path = followLinks(name), temporary;
  int file = -1;
  if (isSpecial(path)) {
    file = retryAfterSignal([&] { return open(path.c_str(), O_WRONLY | O_CLOEXEC); });
  } else {
    removeAbandoned(path);
    file = createTemporary(path, temporary);
  }
  if (file < 0)
    return Status::badInput(fmt::format("{}: cannot write: {}", path, systemError()));
  return FileWriter(std::move(path), std::move(temporary), file);
}

FileWriter::FileWriter(FileWriter &&other) noexcept
    : path(std::move(other.path)), temporary(std::move(other.temporary)),
      file(std::exchange(other.file, -1)), unsynced(other.unsynced) {}

FileWriter::~FileWriter() {
  if (file < 0)
    return;
  close(file);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

Status FileWriter::failure() const {
  return Status::badInput(fmt::format("{}: cannot write: {}", path, systemError()));
}

Status FileWriter::reserve(uint64_t bytes) {
  if (temporary.empty() || bytes == 0)
    return {};
  int error =
      retryAfterSignal([&] { return fallocate(file, FALLOC_FL_KEEP_SIZE, 0, off_t(bytes)); });
  bool isFull = error != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
  return isFull ? failure() : Status();
}

Status FileWriter::append(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = retryAfterSignal(
        [&] { return write(file, bytes.data(), std::min<uint64_t>(bytes.size(), writeBytes)); });
    if (written <= 0)
      return failure();
    bytes.remove_prefix(written);
    unsynced += uint64_t(written);
    if (unsynced >= syncBytes && !temporary.empty()) {
      if (retryAfterSignal([&] { return fdatasync(file); }) != 0)
        return failure();
      unsynced = 0;
    }
    beat();
  }
  return {};
}

Status FileWriter::commit() {
  if (temporary.empty()) {
    if (close(std::exchange(file, -1)) != 0)
      return failure();
    return {};
  }
  if (retryAfterSignal([&] { return fsync(file); }) != 0 ||
      rename(temporary.c_str(), path.c_str()) != 0)
    return failure();
  beat();
  close(std::exchange(file, -1));   // all bytes are on the disk
  (void)syncFolder(folderOf(path)); // the file has its name already
  beat();
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
