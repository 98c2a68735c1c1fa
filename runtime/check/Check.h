// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static proof of a program: that its ranks match, cannot hang, and read what they are meant to
// read, whatever the timing. docs/spec/check.md says what is proved, and why one run is enough.
//
//   if (Status status = check::prove(executable); !status.ok())
//     …   // "deadlock: rank 0 waits at 'send h' in forward[1,0] until rank 1 comes to …"

#ifndef PCC_RUNTIME_CHECK_CHECK_H
#define PCC_RUNTIME_CHECK_CHECK_H

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <vector>

namespace pcc::check {

struct ProveOptions {
  /// Bytes that a rank may use; 0: no limit.
  uint64_t memoryLimit = 0;
};

/// Proves a valid executable. The first thing found wrong is an error of kind BadInput that names
/// ranks, records, microbatch and copy, and shows the circle, the two that do not match, or the two
/// that are not ordered. Linear in records times ranks for who waits for whom, in records for what
/// they read and write.
abi::Status prove(const abi::Executable &executable, const ProveOptions &options = {});

/// Bytes of all spaces that a rank of each program uses.
std::vector<uint64_t> peakBytes(const abi::Executable &executable);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_CHECK_H
