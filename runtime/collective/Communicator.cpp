// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/Communicator.h"

namespace pcc::runtime {

int64_t CollectiveCall::count() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

std::string collectiveName(abi::CollectiveKind kind) {
  std::string name = abi::CollectiveKind_Name(kind);
  for (char &c : name)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return name;
}

Status Communicator::run(std::span<const CollectiveCall> calls) {
  Expected<Request> request = start(calls);
  return request ? wait(*request) : request.status();
}

Status Communicator::barrier() {
  // Other members may still look at the call after an abort ended the wait here.
  static const CollectiveCall call;
  return run({&call, 1});
}

} // namespace pcc::runtime
