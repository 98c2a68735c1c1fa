// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins ranks of several processes that know only the address of process 0. Process 0 runs a store
// (Server.h), to which all processes, including itself, connect (Client.h).

#pragma once

#include "runtime/collective/World.h"
#include "runtime/collective/store/Socket.h"

namespace pcc::runtime::store {

struct WorldOptions {
  /// Address of the store.
  Address address = {};
  int process = 0;
  int processes = 1;
  int ranks = 1;
  /// Data that must be equal in all processes, for example the serialized program.
  std::string common = {};
  /// Seconds that processes wait for each other to begin and to end.
  double timeout = 60;
};

/// Creates a world of all processes; each calls it, and process 0 serves the others. Errors:
/// BadUsage if the store cannot listen, or the processes differ in `options.common`; TimedOut with
/// the processes that have not arrived.
Expected<std::unique_ptr<World>> makeWorld(const WorldOptions &options);

} // namespace pcc::runtime::store
