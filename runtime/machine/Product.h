// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product, the unit of work whose rate depends on its sizes.

#ifndef PCC_RUNTIME_MACHINE_PRODUCT_H
#define PCC_RUNTIME_MACHINE_PRODUCT_H

namespace pcc::machine {

/// `batch` products of [rows, depth] by [depth, columns]. Not whole where only a part is computed.
struct Product {
  double batch = 1, rows = 1, columns = 1, depth = 1;

  /// A multiplication and an addition each.
  double flops() const { return 2 * batch * rows * columns * depth; }
};

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_PRODUCT_H
