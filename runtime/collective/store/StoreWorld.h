// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of several processes that only know where process 0 is: it has a store (Server.h), to which
// all of them, itself too, connect (Client.h).

#ifndef PCC_RUNTIME_COLLECTIVE_STORE_STOREWORLD_H
#define PCC_RUNTIME_COLLECTIVE_STORE_STOREWORLD_H

#include "runtime/collective/World.h"
#include "runtime/collective/store/Socket.h"

namespace pcc::runtime::store {

struct WorldOptions {
  /// Of the store.
  Address address = {};
  int process = 0;
  int processes = 1;
  int ranks = 1;
  /// What all processes must have in common, as the program's fingerprint.
  std::string common = {};
  /// Seconds that processes wait for each other to begin and to end.
  double patience = 60;
};

/// A world of all processes; each calls it, and process 0 serves the others. Errors: BadUsage where
/// the store cannot be, or the processes differ in what they must have in common; TimedOut with the
/// processes that have not come.
Expected<std::unique_ptr<World>> makeWorld(const WorldOptions &options);

} // namespace pcc::runtime::store

#endif // PCC_RUNTIME_COLLECTIVE_STORE_STOREWORLD_H
