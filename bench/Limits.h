// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do at most, measured in the same process as the program beside it.
#pragma once

#include <cstdint>
#include <span>

namespace pcc::bench {

/// One matrix product: c[m, n] = a[m, k] · b[k, n].
struct Product {
  int64_t m, n, k;

  double flops() const { return 2.0 * double(m) * double(n) * double(k); }
};

/// Fastest seconds for all products, one after the other, by oneDNN's sgemm on all cores,
/// untransposed: an upper bound for whatever else a program does with the same products.
double sgemmSeconds(std::span<const Product> products);

/// Bytes a second of the fastest copy of one large array to another (read plus written), as STREAM
/// counts them.
double copyBytesPerSecond();

} // namespace pcc::bench
