// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the limits of this machine, in the same process as the program under test.
#pragma once

#include <cstdint>
#include <span>

namespace pcc::bench {

/// One matmul: c[m, n] = a[m, k] · b[k, n].
struct Matmul {
  int64_t m, n, k;

  double flops() const { return 2.0 * double(m) * double(n) * double(k); }
};

/// Returns the fastest seconds for all matmuls, one after the other, by oneDNN's sgemm on all
/// cores, untransposed: the limit for a program with the same matmuls.
double sgemmSeconds(std::span<const Matmul> matmuls);

/// Returns the bytes per second of the fastest copy of one large array to another (read plus
/// written), as STREAM counts them.
double copyBytesPerSecond();

} // namespace pcc::bench
