// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs GPU kernels on a CPU, thread by thread (pass `--lower-emulate-gpu-kernels`). The threads of
// a block are fibers. Each runs until it waits: at a barrier for its block, or at an exchange for
// its warp. A wait that cannot end, because other threads have left or wait elsewhere, ends the
// program with a message. A GPU would hang or continue with wrong values.
//
// Kernels find the functions by name, so a program that loads kernels must export its symbols.
#pragma once

#include <cstdint>

extern "C" {
/// Body of one thread.
using PccGpuThread = void(void *const *buffers, const int64_t *scalars);

/// Runs blocks begin … end-1, each with `threads` threads.
void pcc_gpu_run(PccGpuThread *thread, void *const *buffers, const int64_t *scalars, int64_t begin,
                 int64_t end, int64_t threads);

// Called by a thread of the kernel.
int64_t pcc_gpu_thread();
int64_t pcc_gpu_block();
void pcc_gpu_barrier();
int32_t pcc_gpu_shuffle_xor(int32_t value, int32_t mask);
int32_t pcc_gpu_shuffle_from(int32_t value, int32_t lane);
int32_t pcc_gpu_any(int32_t condition);
}

namespace pcc::test {

/// Makes later blocks, and the threads within them, run from the last to the first.
void runBackwards(bool backwards);

} // namespace pcc::test
