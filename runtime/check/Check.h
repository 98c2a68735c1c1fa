// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static proof of a program: its ranks match, cannot hang, and read the intended values,
// whatever the timing. docs/spec/check.md describes the proof and why one run suffices.
//
//   if (Status status = check::prove(executable); !status.ok())
//     …   // "deadlock: rank 0 waits at 'send h' in forward[1,0] until rank 1 comes to …"

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <vector>

namespace pcc::check {

struct ProveOptions {
  /// Bytes that a rank may use; 0: no limit.
  uint64_t memoryLimit = 0;
};

/// Proves a valid executable. The first violation is an error of kind BadInput. It names ranks,
/// instructions, microbatch and copy. It shows the cycle, the mismatching pair or the unordered
/// pair. Time is linear in instructions times ranks for the communication, and linear in
/// instructions for the memory accesses.
abi::Status prove(const abi::Executable &executable, const ProveOptions &options = {});

/// Returns the bytes of all spaces that a rank of each program uses.
std::vector<uint64_t> peakBytes(const abi::Executable &executable);

} // namespace pcc::check
