// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins ranks of several processes that know only the address of process 0. Process 0 runs a store
// (Server.h), to which all processes, including itself, connect (Client.h).

#pragma once

#include "runtime/collective/World.h"
#include "runtime/collective/store/Socket.h"
#include "runtime/collective/store/Token.h"

namespace pcc::runtime::store {

struct WorldOptions {
  /// Address of the store.
  Address address = {};
  int process = 0;
  int processes = 1;
  int ranks = 1;
  /// Data that must be equal in all processes, for example the serialized program.
  std::string common = {};
  /// Seconds that processes wait for each other to begin, since some may still compile or read the
  /// program, and to end.
  double startTimeout = 600, endTimeout = 60;
  /// Token that all processes have, if any.
  Token token = {};
};

/// Creates a world of all processes; each calls it, and process 0 serves the others. Errors:
/// BadUsage if the store cannot listen, or the processes differ in `options.common`; Failed if
/// their tokens differ; TimedOut with the processes that have not arrived.
Expected<std::unique_ptr<World>> makeWorld(const WorldOptions &options);

} // namespace pcc::runtime::store
