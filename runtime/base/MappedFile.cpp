// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access to a page that the system cannot read raises SIGBUS: the file was truncated, or its
// disk has an error. The handler puts a page of zeros there and marks the file, as libwayland does
// for buffers of its clients (wl_shm_buffer_begin_access). The reader then learns of the loss by
// finishRead(). Other SIGBUS go to the handler that was there before.

#include "runtime/base/MappedFile.h"

#include "runtime/abi/files/RetryAfterSignal.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pcc::runtime {

/// Ranges form a list that only grows, since a handler may look at them at any time. A closed file
/// leaves its range to the next one.
struct MappedFile::Range {
  std::atomic<const std::byte *> begin = nullptr; ///< null: no file
  std::atomic<size_t> size = 0;
  std::atomic<bool> isLost = false;
  std::atomic<bool> isUsed = true;
  Range *next = nullptr;
};

namespace {

/// Around an access, the system also maps neighboring pages that are in its cache.
constexpr uint64_t mappedAround = 64 << 10, maxResident = 32 << 20;

struct sigaction previousAction;

/// Opens a file. Data may lie in more files than a process may open by default.
int openFile(const std::string &path) {
  auto attempt = [&] {
    return abi::retryAfterSignal([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  };
  int file = attempt();
  rlimit limit = {};
  if (file >= 0 || errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return file;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? attempt() : -1;
}

} // namespace

std::atomic<MappedFile::Range *> MappedFile::firstRange = nullptr;

void MappedFile::replaceLostPage(int signal, siginfo_t *info, void *) {
  auto *address = static_cast<const std::byte *>(info->si_addr);
  Range *range = firstRange.load();
  for (; range && info->si_code > 0; range = range->next) {
    const std::byte *begin = range->begin.load();
    if (!begin || address < begin || address >= begin + range->size.load())
      continue;
    auto pageBytes = size_t(sysconf(_SC_PAGESIZE));
    auto *page = const_cast<std::byte *>(begin + size_t(address - begin) / pageBytes * pageBytes);
    range->isLost = true;
    if (mmap(page, pageBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
      return;
    break;
  }
  // The access happens again when the handler returns; a signal that was sent must be sent again.
  sigaction(signal, &previousAction, nullptr);
  if (info->si_code <= 0)
    raise(signal);
}

MappedFile::Range *MappedFile::addRange(std::span<const std::byte> content) {
  static const bool isInstalled = [] {
    struct sigaction action = {};
    action.sa_sigaction = &MappedFile::replaceLostPage;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGBUS, &action, &previousAction) == 0;
  }();
  (void)isInstalled; // without a handler, a lost page ends the process
  Range *range = firstRange.load();
  for (bool unused = false; range; range = range->next, unused = false)
    if (range->isUsed.compare_exchange_strong(unused, true))
      break;
  if (!range) {
    range = new Range; // NOLINT: never freed
    range->next = firstRange;
    while (!firstRange.compare_exchange_weak(range->next, range)) {
    }
  }
  range->isLost = false;
  range->size = content.size();
  range->begin = content.data();
  return range;
}

MappedFile::MappedFile(std::string path, int file, std::span<const std::byte> content)
    : name(std::move(path)), file(file), content(content), range(addRange(content)) {}

MappedFile::~MappedFile() {
  range->begin = nullptr;
  range->isUsed = false;
  if (!content.empty())
    munmap(const_cast<std::byte *>(content.data()), content.size());
  close(file);
}

Expected<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string &path) {
  auto failure = [&](const char *reason) {
    return Status::badInput(fmt::format("{}: cannot open: {}", path, reason));
  };
  int file = openFile(path);
  if (file < 0)
    return failure(std::strerror(errno));
  struct stat facts = {};
  bool isKnown = fstat(file, &facts) == 0;
  if (!isKnown || !S_ISREG(facts.st_mode)) {
    Status status =
        !isKnown
            ? failure(std::strerror(errno))
            : Status::badInput(fmt::format("{}: expected a file, got a {}", path,
                                           S_ISDIR(facts.st_mode) ? "folder" : "pipe or a device"));
    close(file);
    return status;
  }
  std::span<const std::byte> content;
  if (facts.st_size > 0) {
    void *address = mmap(nullptr, size_t(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) {
      Status status = failure(std::strerror(errno));
      close(file);
      return status;
    }
    content = {static_cast<const std::byte *>(address), size_t(facts.st_size)};
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, file, content));
}

Status MappedFile::finishRead(uint64_t count) const {
  uint64_t added = count + mappedAround;
  if (resident.fetch_add(added) + added > maxResident) {
    resident = 0;
    madvise(const_cast<std::byte *>(content.data()), content.size(), MADV_DONTNEED);
  }
  // The rest of a last page reads as zeros without a signal.
  struct stat facts = {};
  bool isWhole = fstat(file, &facts) == 0 && uint64_t(facts.st_size) >= content.size();
  if (isWhole && !range->isLost)
    return {};
  if (!isWhole)
    return Status::badInput(fmt::format(
        "{}: expected {} bytes, as when the file was opened, got {}; a file must not change while "
        "it is read",
        name, content.size(), facts.st_size));
  return Status::badInput(fmt::format(
      "{}: cannot read a part of the file: it was changed, or its disk has an error", name));
}

} // namespace pcc::runtime
