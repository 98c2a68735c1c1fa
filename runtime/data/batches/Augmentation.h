// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random changes of images during training: mirrored, and moved by a few pixels. What an image gets
// follows from the seed, the epoch and its row, so a training continues exactly, on any number of
// ranks.
//
//   image        crop=1 pads it          and takes a random part     flip mirrors an image with
//                                                                    probability 1/2
//                . . . . .
//   a b c        . a b c .               . . .                       . . .
//   d e f        . d e f .               . a b                       b a .
//   g h i        . g h i .               . d e                       e d .
//                . . . . .

#pragma once

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

class Augmentation {
public:
  /// No change.
  Augmentation() = default;

  /// Parses the value of `--augment`: "flip", "crop=PIXELS" or both, separated by a comma; empty:
  /// no change. BadUsage names the flag.
  static Expected<Augmentation> parse(const std::string &text, uint64_t seed);

  bool changesAny() const { return flips || crop > 0; }

  /// Returns whether the rows of a field are images: pixels in at least 2 dimensions, or [channels,
  /// height, width] of numbers that are no integers.
  static bool isImage(const Field &field);

  /// Returns an error (BadUsage) if there are no images, or if one is smaller than the crop.
  Status check(const Dataset &dataset) const;

  /// Reads elements as Field::read does, from the changed image of row `row` in epoch `epoch`.
  void read(const Field &field, int64_t epoch, int64_t row, int64_t begin, int64_t count,
            abi::ElementType type, std::byte *out) const;

private:
  /// The change of one image.
  struct Draw {
    bool isMirrored;
    /// The part's top-left corner, in pixels below and right of the image's; may be negative.
    int64_t down, right;
  };
  Draw draw(int64_t epoch, int64_t row) const;

  bool flips = false;
  int64_t crop = 0; ///< pixels of padding on each side
  uint64_t seed = 0;
};

} // namespace pcc::runtime
