// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NVIDIA's NCCL 2.28 that pcc uses, declared here so that building needs neither its
// header nor the library. The library is opened at first use. NcclHeaderTest compares these
// declarations with the real header, if there is one.

#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <climits>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime::nccl {

using CommHandle = struct CommObject *;
using cuda::StreamHandle;

enum class Code : int {
  Success = 0,
  UnhandledCudaError = 1,
  SystemError = 2,
  InternalError = 3,
  InvalidArgument = 4,
  InvalidUsage = 5,
  RemoteError = 6,
  InProgress = 7,
};

enum class Type : int {
  None = -1, ///< not a type of NCCL, which rejects it
  Int8 = 0,
  Uint8 = 1,
  Int32 = 2,
  Uint32 = 3,
  Int64 = 4,
  Uint64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  BFloat16 = 9,
};

enum class Operator : int { Sum = 0, Prod = 1, Max = 2, Min = 3 };

/// Identifier by which the ranks of a new communicator find each other.
struct UniqueId {
  char internal[128];
};

/// Value of unset fields, which the library chooses.
constexpr int unset = INT_MIN;

/// Configuration of a new communicator. The first three fields identify the header version.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 22809;
  int blocking = unset;
  int cgaClusterSize = unset;
  int minCTAs = unset;
  int maxCTAs = unset;
  const char *netName = nullptr;
  int splitShare = unset;
  int trafficClass = unset;
  const char *commName = nullptr;
  int collnetEnable = unset;
  int CTAPolicy = unset;
  int shrinkShare = unset;
  int nvlsCTAs = unset;
  int nChannelsPerNetPeer = unset;
  int nvlinkCentricSched = unset;
};

struct Nccl {
  Code (*getVersion)(int *version);
  const char *(*getErrorString)(Code code);
  const char *(*getLastError)(CommHandle comm);
  Code (*getUniqueId)(UniqueId *id);
  Code (*commInitRankConfig)(CommHandle *comm, int ranks, UniqueId id, int rank, Config *config);
  Code (*commSplit)(CommHandle comm, int color, int key, CommHandle *part, Config *config);
  Code (*commGetAsyncError)(CommHandle comm, Code *code);
  Code (*commFinalize)(CommHandle comm);
  Code (*commDestroy)(CommHandle comm);
  Code (*commAbort)(CommHandle comm);
  Code (*groupStart)();
  Code (*groupEnd)();
  Code (*allReduce)(const void *source, void *target, size_t count, Type type, Operator reduction,
                    CommHandle comm, StreamHandle stream);
  Code (*allGather)(const void *source, void *target, size_t sourceCount, Type type,
                    CommHandle comm, StreamHandle stream);
  Code (*reduceScatter)(const void *source, void *target, size_t targetCount, Type type,
                        Operator reduction, CommHandle comm, StreamHandle stream);
  Code (*broadcast)(const void *source, void *target, size_t count, Type type, int root,
                    CommHandle comm, StreamHandle stream);
  Code (*reduce)(const void *source, void *target, size_t count, Type type, Operator reduction,
                 int root, CommHandle comm, StreamHandle stream);
  Code (*send)(const void *source, size_t count, Type type, int peer, CommHandle comm,
               StreamHandle stream);
  Code (*receive)(void *target, size_t count, Type type, int peer, CommHandle comm,
                  StreamHandle stream);

  /// Returns the library, or the reason why it is not available; the same on every call.
  static const Expected<Nccl> &get();

  /// Return the rows that fill the struct, and the names of the library's file.
  static std::vector<Symbol> table(Nccl &library);
  static std::span<const char *const> names();

  /// Returns the version number; 22809 is 2.28.9.
  Expected<int> version() const;

  /// Returns success, also for InProgress; or "ncclCommSplit: invalid usage: …" for the call
  /// `what`, with the library's last error message.
  Status check(Code code, std::string_view what, CommHandle comm = nullptr) const;

private:
  static Expected<Nccl> load();
};

/// Formats a version number, for example "2.28.9".
std::string versionText(int version);

/// Returns the library's version, for `pcc doctor`. Unavailable, with the reason, without the
/// library.
Expected<std::string> describeNccl();

} // namespace pcc::runtime::nccl
