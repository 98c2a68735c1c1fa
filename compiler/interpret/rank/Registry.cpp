// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families register through one explicit list, without static initializers.
#include "compiler/interpret/rank/Registry.h"

namespace pcc::interpret {

const Registry &Registry::get() {
  static const Registry registry = [] {
    Registry all;
    for (auto registerFamily :
         {registerComputed, registerActivations, registerLeaves, registerShape, registerIndexing,
          registerContraction, registerWindows, registerAttention, registerNormal,
          registerAlongAxis, registerLoss, registerOptimizer, registerCalls, registerCollectives,
          registerExchanges, registerMessages, registerShardings})
      registerFamily(all);
    return all;
  }();
  return registry;
}

} // namespace pcc::interpret
