// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps dlopen with local symbols and immediate binding. An image is copied to an anonymous file
// (memfd_create) and opened by its path under /proc/self/fd.

#include "runtime/base/SharedLibrary.h"

#include "runtime/abi/files/RetryAfterSignal.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pcc::runtime {

SharedLibrary::SharedLibrary(SharedLibrary &&other) noexcept { *this = std::move(other); }

SharedLibrary &SharedLibrary::operator=(SharedLibrary &&other) noexcept {
  std::swap(name, other.name);
  std::swap(handle, other.handle);
  std::swap(image, other.image);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle)
    dlclose(handle);
  if (image >= 0)
    close(image);
}

Expected<SharedLibrary> SharedLibrary::open(std::span<const char *const> names,
                                            const std::string &remedy) {
  SharedLibrary library;
  std::string tried;
  for (const char *name : names) {
    library.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library.handle) {
      library.name = name;
      return library;
    }
    tried += fmt::format("{}'{}'", tried.empty() ? "" : ", ", name);
  }
  return Status::unavailable(fmt::format("cannot open {}; {}", tried, remedy));
}

Expected<SharedLibrary> SharedLibrary::openImage(const std::string &name, std::string_view bytes) {
  SharedLibrary library;
  library.name = name;
  constexpr size_t longestName = 200; // memfd_create takes no more than 249 bytes
  library.image = memfd_create(name.substr(0, longestName).c_str(), MFD_CLOEXEC);
  if (library.image < 0)
    return Status::failed(fmt::format("'{}': memfd_create: {}", name, std::strerror(errno)));
  while (!bytes.empty()) {
    ssize_t written =
        abi::retryAfterSignal([&] { return write(library.image, bytes.data(), bytes.size()); });
    if (written <= 0)
      return Status::failed(
          fmt::format("'{}': cannot copy the image: {}", name, std::strerror(errno)));
    bytes.remove_prefix(written);
  }
  std::string path = fmt::format("/proc/self/fd/{}", library.image);
  library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    return Status::badInput(fmt::format("'{}' cannot be loaded: {}", name, dlerror()));
  return library;
}

Status SharedLibrary::resolve(std::span<const Symbol> table) const {
  for (const Symbol &row : table) {
    void *found = address(row.name);
    if (!found)
      return Status::unavailable(fmt::format("'{}' has no function '{}'", name, row.name));
    std::memcpy(row.target, &found, sizeof found);
  }
  return {};
}

Status SharedLibrary::load(std::span<const char *const> names, const std::string &remedy,
                           std::span<const Symbol> table) {
  Expected<SharedLibrary> library = open(names, remedy);
  if (!library)
    return library.status();
  if (Status status = library->resolve(table); !status.ok())
    return status;
  std::move(*library).leaveOpen();
  return {};
}

void *SharedLibrary::address(const char *symbol) const { return dlsym(handle, symbol); }

} // namespace pcc::runtime
