// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unpacks a batch of collectives, as one process sends it to another through the store, and packs
// it again.
#include "runtime/collective/store/StoreCommunicator.h"
#include "test/fuzz/readers/Target.h"

static void unpackBatch(std::string_view bytes) {
  std::string copy(bytes);
  if (auto calls = pcc::runtime::store::unpackCalls(copy))
    (void)pcc::runtime::store::packCalls(*calls);
}

PCC_FUZZ_TARGET(calls, unpackBatch)
