// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels of a GPU on a CPU, thread by thread (pass `--lower-emulate-gpu-kernels`). The
// threads of a block are fibers: each runs until it waits, at a barrier for its block, at an
// exchange for its warp. A wait that cannot end (others have left, or wait elsewhere for ever) ends
// the program with a message, where a GPU would hang or go on with nonsense.
//
// Kernels find the functions by name, so a program that loads some is linked with exported symbols.
#pragma once

#include <cstdint>

extern "C" {
/// What one thread does.
using PccGpuThread = void(void *const *buffers, const int64_t *scalars);

/// Runs blocks begin … end-1 of so many threads.
void pcc_gpu_run(PccGpuThread *thread, void *const *buffers, const int64_t *scalars, int64_t begin,
                 int64_t end, int64_t threads);

// Of the thread that calls.
int64_t pcc_gpu_thread();
int64_t pcc_gpu_block();
void pcc_gpu_barrier();
int32_t pcc_gpu_shuffle_xor(int32_t value, int32_t mask);
int32_t pcc_gpu_shuffle_from(int32_t value, int32_t lane);
int32_t pcc_gpu_any(int32_t condition);
}

namespace pcc::test {

/// From now on blocks, and threads within them, run from the last to the first.
void runBackwards(bool backwards);

} // namespace pcc::test
