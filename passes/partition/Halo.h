// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges the halo of an image block: rows and columns that windows of one rank's block of the
// result see, but other ranks hold. With 2 blocks of 8 rows, windows of 3 rows and one row of
// padding:
//
//   rank 0 has rows 0 … 7, its windows see rows -1 … 8: it gets row 8, and a zero for row -1
//   rank 1 has rows 8 … 15, its windows see rows 7 … 16: it gets row 7, and a zero for row 16
//
// An op on a block with its halo thus needs no padding along split dimensions. One block exchange
// per dimension fetches exactly the missing rows, from any number of ranks.
#pragma once

#include "dialects/dist/Sharding.h"
#include "dialects/graph/Window.h"
#include "mlir/IR/Builders.h"

namespace pcc::partition {

class Halo {
public:
  /// Halo of an image sharded as `image`. `blocks` and `results` are the shapes of one rank's block
  /// of the image and of the op's result.
  Halo(mlir::OpBuilder &builder, mlir::Location loc, const dist::Mesh &mesh,
       const graph::Window &window, const dist::Sharding &image, llvm::ArrayRef<int64_t> blocks,
       llvm::ArrayRef<int64_t> results);

  /// Returns whether rows or columns are split at all.
  bool splits() const { return !dims[0].axes.empty() || !dims[1].axes.empty(); }
  bool splits(unsigned dim) const { return !dims[dim].axes.empty(); }
  /// Returns the mesh axes that cut rows (dim 0) or columns (dim 1).
  const dist::AxisList &getAxes(unsigned dim) const { return dims[dim].axes; }
  /// Returns the sizes of the whole image and of the whole result.
  int64_t getImageSize(unsigned dim) const { return dims[dim].block * dims[dim].count; }
  int64_t getResultSize(unsigned dim) const { return dims[dim].result * dims[dim].count; }
  /// Returns whether some window sees positions outside of the image.
  bool seesPadding(unsigned dim) const;

  /// Returns the shape of a block with its halo.
  llvm::SmallVector<int64_t> getShape() const;
  /// Returns the op's padding on a block with its halo.
  llvm::SmallVector<int64_t> getPadding() const;

  /// Returns the block with its halo; outside of the image it is zero.
  mlir::Value fetch(mlir::Value block);
  /// Returns the block with its halo; outside of the image it is `value`.
  mlir::Value fetch(mlir::Value block, double value);
  /// Returns the gradient of the block, from the gradients of blocks with their halos. Sums the
  /// gradients of the block's rows over all ranks that saw them.
  mlir::Value giveBack(mlir::Value gradient);

private:
  struct Dim {
    dist::AxisList axes;
    int64_t count;  ///< number of blocks
    int64_t block;  ///< rows of the image on one rank
    int64_t result; ///< rows of the result on one rank
    int64_t extent; ///< rows that its windows see
  };
  /// Returns whether the windows of each block see only that block.
  bool isLocal(unsigned dim) const;
  /// Returns the first row that the windows of block `position` see; may be negative.
  int64_t getStart(unsigned dim, int64_t position) const;
  mlir::Value exchange(mlir::Value value, unsigned dim, bool givesBack);
  mlir::Value fillOutside(mlir::Value block, unsigned dim, double value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  graph::Window window;
  llvm::SmallVector<int64_t> blocks;
  Dim dims[2];
};

} // namespace pcc::partition
