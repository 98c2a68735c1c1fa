// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which memory a kernel may overwrite with its results:
//
//   new "w" = w - g             the parameter itself, if nothing reads it later
//   gradient "w" = matmul x, y  the sum over actions, if its instruction accumulates
//   y = exp x                   x, if nothing reads x later
#pragma once

#include "passes/schedule/memory/FixedPlaces.h"
#include "passes/schedule/memory/Rings.h"
#include "passes/schedule/memory/Values.h"

namespace pcc::schedule {

/// Overwrites of one kernel, whose inputs have buffers.
class Overwrites {
public:
  /// The kernel runs at the time `now` in section number `index` of its timeline. `rings` is null
  /// outside the step. All arguments must outlive this object.
  Overwrites(analysis::Section &section, unsigned index, const analysis::Kernel &kernel,
             int64_t now, Values &values, const FixedPlaces &fixed, const Rings *rings)
      : section(section), index(index), kernel(kernel), now(now), values(values), fixed(fixed),
        rings(rings) {}

  /// Returns the place of the parameter whose new value `output` is, if the kernel may write it
  /// there. Else returns the place of the sum to which its instruction adds `output`, or null if
  /// there is none.
  task::PlaceAttr findFixed(mlir::Value output);

  /// Returns an input that the kernel reads for the last time and may overwrite with `output`; null
  /// if there is none. Each input is returned once. `staysInside`: whether `output` is not
  /// returned.
  mlir::Value takeDying(mlir::Value output, bool staysInside);

private:
  bool mayReplace(task::PlaceAttr place, mlir::Value output);
  task::PlaceAttr parameterUpdatedBy(mlir::Value output);
  task::PlaceAttr sumThatTakes(mlir::Value output);
  bool mayOverwriteAll(Buffer *buffer, mlir::Value output);
  bool isReadAfterHoisted(Buffer *buffer) const;
  bool isInside(unsigned frame) const;

  analysis::Section &section;
  unsigned index;
  const analysis::Kernel &kernel;
  int64_t now;
  Values &values;
  const FixedPlaces &fixed;
  const Rings *rings;
  llvm::DenseSet<Buffer *> taken;
};

} // namespace pcc::schedule
