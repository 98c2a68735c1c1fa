// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the library once, after setting environment variables that it reads, and resolves all
// functions by name.

#include "runtime/collective/nccl/Nccl.h"

#include <cstdlib>

namespace pcc::runtime::nccl {

std::vector<Symbol> Nccl::table(Nccl &library) {
  return {
      symbol("ncclGetVersion", library.getVersion),
      symbol("ncclGetErrorString", library.getErrorString),
      symbol("ncclGetLastError", library.getLastError),
      symbol("ncclGetUniqueId", library.getUniqueId),
      symbol("ncclCommInitRankConfig", library.commInitRankConfig),
      symbol("ncclCommSplit", library.commSplit),
      symbol("ncclCommGetAsyncError", library.commGetAsyncError),
      symbol("ncclCommFinalize", library.commFinalize),
      symbol("ncclCommDestroy", library.commDestroy),
      symbol("ncclCommAbort", library.commAbort),
      symbol("ncclGroupStart", library.groupStart),
      symbol("ncclGroupEnd", library.groupEnd),
      symbol("ncclAllReduce", library.allReduce),
      symbol("ncclAllGather", library.allGather),
      symbol("ncclReduceScatter", library.reduceScatter),
      symbol("ncclBroadcast", library.broadcast),
      symbol("ncclReduce", library.reduce),
      symbol("ncclSend", library.send),
      symbol("ncclRecv", library.receive),
  };
}

std::span<const char *const> Nccl::names() {
  static constexpr const char *list[] = {"libnccl.so.2"};
  return list;
}

/// Sets environment variables that NCCL reads, unless the user has set them. Members connect when
/// they join instead of in the first collective. Connecting allocates GPU memory, for which the
/// driver may wait for all work in flight, including receives that wait for their peers (NCCL's
/// user guide, NCCL_RUNTIME_CONNECT).
static void chooseEnvironment() { setenv("NCCL_RUNTIME_CONNECT", "0", /*overwrite=*/0); }

Expected<Nccl> Nccl::load() {
  chooseEnvironment();
  Nccl nccl = {};
  if (Status status = SharedLibrary::load(names(), "install NVIDIA's libnccl2", table(nccl));
      !status.ok())
    return status;
  return nccl;
}

const Expected<Nccl> &Nccl::get() {
  static const Expected<Nccl> library = load();
  return library;
}

Status Nccl::check(Code code, std::string_view what, CommHandle comm) const {
  if (code == Code::Success || code == Code::InProgress)
    return {};
  std::string message = fmt::format("{}: {}", what, getErrorString(code));
  if (const char *last = getLastError(comm); last && *last)
    message += fmt::format(": {}", last);
  return Status::failed(std::move(message));
}

Expected<int> Nccl::version() const {
  int version = 0;
  if (Status status = check(getVersion(&version), "ncclGetVersion"); !status.ok())
    return status;
  return version;
}

std::string versionText(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

Expected<std::string> describeNccl() {
  const Expected<Nccl> &library = Nccl::get();
  Expected<int> version = library ? library->version() : library.status();
  if (!version)
    return version.status();
  return versionText(*version);
}

} // namespace pcc::runtime::nccl
