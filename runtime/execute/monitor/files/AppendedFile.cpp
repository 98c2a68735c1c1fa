// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGPIPE and SIGXFSZ would end the process where an entry cannot be written. They are blocked
// during the call of write(), and taken back if the call has caused one.

#include "runtime/execute/monitor/files/AppendedFile.h"

#include "runtime/abi/files/RetryAfterSignal.h"
#include "runtime/base/Files.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pcc::runtime {
namespace {

/// Blocks the signals of failed writes for this thread during its lifetime.
class WithoutWriteSignals {
public:
  WithoutWriteSignals() {
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGXFSZ);
    sigpending(&before);
    pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  }
  ~WithoutWriteSignals() {
    sigset_t pending;
    sigpending(&pending);
    for (int signal : {SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, signal) && !sigismember(&before, signal)) {
        sigset_t caused;
        sigemptyset(&caused);
        sigaddset(&caused, signal);
        timespec none = {};
        sigtimedwait(&caused, nullptr, &none);
      }
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  }
  WithoutWriteSignals(const WithoutWriteSignals &) = delete;

private:
  sigset_t blocked, before, mask;
};

Status cannotWrite(const std::string &path) {
  return Status::badInput(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
}

} // namespace

Expected<AppendedFile> AppendedFile::open(const std::string &path, int64_t keptBytes, Warn warn) {
  int file = abi::retryAfterSignal(
      [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666); });
  if (file < 0)
    return cannotWrite(path);
  AppendedFile opened(path, file, std::move(warn));
  struct stat info;
  if (fstat(file, &info) != 0 ||
      (S_ISREG(info.st_mode) && info.st_size > keptBytes && ftruncate(file, keptBytes) != 0))
    return cannotWrite(path);
  return opened;
}

AppendedFile::~AppendedFile() {
  if (file >= 0)
    close(file);
}

AppendedFile::AppendedFile(AppendedFile &&other) noexcept
    : path(std::move(other.path)), file(std::exchange(other.file, -1)), warn(std::move(other.warn)),
      hasWarned(other.hasWarned) {}

void AppendedFile::append(std::string_view entry) {
  size_t written = 0;
  int error = 0;
  {
    WithoutWriteSignals guard;
    while (written < entry.size() && error == 0) {
      ssize_t bytes = abi::retryAfterSignal(
          [&] { return ::write(file, entry.data() + written, entry.size() - written); });
      if (bytes < 0)
        error = errno;
      else
        written += size_t(bytes);
    }
  }
  if (error == 0)
    return;
  struct stat info;
  if (written > 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode))
    (void)!ftruncate(file, info.st_size - off_t(written));
  if (!std::exchange(hasWarned, true))
    warn(fmt::format("{}: cannot write: {}; the run goes on, and what cannot be written is left "
                     "out",
                     path, std::strerror(error)));
}

Expected<int64_t> sizeOfKeptLines(const std::string &path, int64_t start,
                                  const std::function<int64_t(std::string_view)> &stepOf) {
  struct stat info;
  if (start == 0 || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return 0;
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return Status::badInput(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  int64_t kept = 0;
  char *line = nullptr;
  size_t capacity = 0;
  for (ssize_t bytes; (bytes = getline(&line, &capacity, file)) > 0; kept += bytes)
    if (line[bytes - 1] != '\n' || stepOf({line, size_t(bytes)}) > start)
      break;
  std::free(line);
  std::fclose(file);
  return kept;
}

Status checkAppendedPath(const char *flag, const std::string &path) {
  if (!fileExists(path) || isFolder(path))
    return checkOutputPath(flag, path);
  return access(path.c_str(), W_OK) == 0 ? Status() : cannotWrite(path).within(flag);
}

} // namespace pcc::runtime
