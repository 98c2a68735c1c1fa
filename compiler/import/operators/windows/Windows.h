// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of convolutions and pools. A sequence is an image of one row. A volume is a stack of
// images, called layers. Its window is split into one within a layer and one along the layers.
#pragma once

#include "compiler/import/emit/Node.h"
#include "compiler/import/files/Shapes.h"
#include "dialects/graph/Window.h"

namespace pcc::import {

/// Window of a node, as the attributes of a graph op: rows and columns; for volumes, layers before
/// them.
struct ImageWindow {
  Shape sizes, strides, padding, dilations;

  graph::Window get() const { return {sizes, strides, padding, dilations}; }
  int64_t dims() const { return static_cast<int64_t>(sizes.size()); }
  int64_t extent(int64_t dim) const { return (sizes[dim] - 1) * dilations[dim] + 1; }
  /// Returns the window within one layer of a volume, and the window along the layers, as rows.
  ImageWindow withinLayer() const;
  ImageWindow alongLayers() const;
};

/// Reads the attributes that define how a node's window moves.
class WindowReader {
public:
  /// Creates a reader. `x` is the node's first input; `sizes` are the spatial sizes of its window.
  WindowReader(Node &node, const Tensor &x, Shape sizes);

  /// Returns the window with a dimension for each of the node, and a row of one element for
  /// sequences. Fails after an error.
  mlir::FailureOr<ImageWindow> read(bool roundsUp);
  /// Returns the list `name` of `count` numbers, each at least `least`. If the list is absent, all
  /// numbers are `otherwise`.
  std::optional<Shape> list(llvm::StringRef name, int64_t count, int64_t least, int64_t otherwise);
  /// Reads strides, dilations and the list of padding.
  bool readLists();
  /// Reads the name of the padding; null after an error.
  std::optional<std::string> readAutoPad();

  ImageWindow window;

private:
  void padForSameSize(bool extraAtEnd);
  void padForRoundingUp();

  Node &node;
  int64_t spatial;
  llvm::ArrayRef<int64_t> image;
};

/// Adds a row of one element to the window of a sequence; other windows are unchanged.
ImageWindow asImageWindow(ImageWindow window);

/// Checks that there are one to three dimensions after batch and channels.
mlir::LogicalResult checkSpatial(Node &node, const Tensor &x);

/// Returns a sequence as an image of one row; other tensors are unchanged.
Tensor asImage(Emitter &emit, const Tensor &x);

/// Returns the result of an image op in the rank of `like`: images of one row become sequences.
Tensor asLike(Emitter &emit, const Tensor &image, const Tensor &like);

/// Returns strides, padding and dilations as attributes.
llvm::SmallVector<mlir::NamedAttribute> windowAttributes(Emitter &emit, const ImageWindow &window);

/// Returns the type of the result of a window over the images `x`; null after an error.
mlir::RankedTensorType windowResult(Emitter &emit, const Tensor &x, int64_t channels,
                                    const ImageWindow &window);

/// Places the elements of dimension `dim` at `low`, low + stride, … of a dimension of `size`
/// zeros. Elements that do not fit are dropped.
Tensor spread(Emitter &emit, const Tensor &x, int64_t dim, int64_t stride, int64_t low,
              int64_t size);

} // namespace pcc::import
