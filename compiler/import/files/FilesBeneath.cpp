// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens one folder after the other without following links, so that no other process can replace a
// checked name. openat2 does the same in one call, but containers often forbid it.
#include "compiler/import/files/TensorData.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

static std::error_code lastError() { return {errno, std::generic_category()}; }

/// Opens `location` below `folder`. Returns the descriptor.
static ErrorOr<int> openBeneath(StringRef folder, StringRef location) {
  SmallString<128> start(folder.empty() ? "." : folder);
  int at = open(start.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (auto part = sys::path::begin(location), end = sys::path::end(location);
       at >= 0 && part != end;) {
    SmallString<128> name = *part;
    bool isLast = ++part == end;
    // The first component of `/name` is `/`, and that of `//name` is `//name`.
    if (name == ".." || name.str().contains('/')) {
      close(at);
      return std::make_error_code(std::errc::permission_denied);
    }
    // O_NONBLOCK: opening a pipe without a writer must not wait for one.
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (isLast ? O_NONBLOCK : O_DIRECTORY);
    int next = openat(at, name.c_str(), flags);
    std::error_code error = lastError();
    // With O_DIRECTORY, openat reports a link as ENOTDIR, not ELOOP.
    struct stat info;
    bool isLink = next < 0 && fstatat(at, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                  S_ISLNK(info.st_mode);
    close(at);
    if (next < 0)
      return isLink ? std::make_error_code(std::errc::too_many_symbolic_link_levels) : error;
    at = next;
  }
  return at >= 0 ? ErrorOr<int>(at) : lastError();
}

ErrorOr<std::unique_ptr<MemoryBuffer>> pcc::import::mapBeneath(StringRef folder,
                                                               StringRef location) {
  ErrorOr<int> file = openBeneath(folder, location);
  if (!file)
    return file.getError();
  llvm::scope_exit closed([&] { close(*file); });
  struct stat info;
  if (fstat(*file, &info) != 0)
    return lastError();
  if (!S_ISREG(info.st_mode))
    return std::make_error_code(std::errc::not_supported);
  SmallString<128> path(folder);
  sys::path::append(path, location);
  return MemoryBuffer::getOpenFile(*file, path, uint64_t(info.st_size),
                                   /*RequiresNullTerminator=*/false);
}
