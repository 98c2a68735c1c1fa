// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and columns of an image that windows of one rank's block of the result see, but other ranks
// hold. With 2 blocks of 8 rows, windows of 3 rows and one row of padding:
//
//   rank 0 has rows 0 … 7, its windows see rows -1 … 8: it gets row 8, and a zero for row -1
//   rank 1 has rows 8 … 15, its windows see rows 7 … 16: it gets row 7, and a zero for row 16
//
// So an op on a block with its halo needs no padding along the dimensions that are split. One block
// exchange a dimension fetches exactly the rows that lack, from however many ranks.
#pragma once

#include "dialects/dist/Sharding.h"
#include "dialects/graph/Window.h"
#include "mlir/IR/Builders.h"

namespace pcc::partition {

class Halo {
public:
  /// For an image sharded as `image`; `blocks` and `results` are the shapes of one rank's block of
  /// it and of the op's result.
  Halo(mlir::OpBuilder &builder, mlir::Location loc, const dist::Mesh &mesh,
       const graph::Window &window, const dist::Sharding &image, llvm::ArrayRef<int64_t> blocks,
       llvm::ArrayRef<int64_t> results);

  /// Whether rows or columns are split at all.
  bool splits() const { return !dims[0].axes.empty() || !dims[1].axes.empty(); }
  bool splits(unsigned dim) const { return !dims[dim].axes.empty(); }
  /// The mesh axes that cut rows (dim 0) or columns (dim 1).
  const dist::AxisList &getAxes(unsigned dim) const { return dims[dim].axes; }
  /// The sizes of the whole image and of the whole result.
  int64_t getImageSize(unsigned dim) const { return dims[dim].block * dims[dim].count; }
  int64_t getResultSize(unsigned dim) const { return dims[dim].result * dims[dim].count; }
  /// Whether some window sees what lies outside of the image.
  bool seesPadding(unsigned dim) const;

  /// The shape of a block with its halo.
  llvm::SmallVector<int64_t> getShape() const;
  /// The op's padding on a block with its halo.
  llvm::SmallVector<int64_t> getPadding() const;

  /// The block with its halo; outside of the image it is zero.
  mlir::Value fetch(mlir::Value block);
  /// The same with `value` outside.
  mlir::Value fetch(mlir::Value block, double value);
  /// From the gradients of blocks with their halos that of the block: what its rows were for all
  /// ranks that saw them.
  mlir::Value giveBack(mlir::Value gradient);

private:
  struct Dim {
    dist::AxisList axes;
    int64_t count;  ///< of blocks
    int64_t block;  ///< rows of the image on one rank
    int64_t result; ///< rows of the result on one rank
    int64_t extent; ///< rows that its windows see
  };
  /// Whether the windows of each block see nothing but that block.
  bool isLocal(unsigned dim) const;
  /// The first row that the windows of block `position` see; may be negative.
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
