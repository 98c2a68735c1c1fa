// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the buffers of a timeline: the live range of each value in memory, and the buffers that
// overwrite others.
//
//   time          0       1       2     3        4     5
//   @forward      a       b = a   end
//   @backward                           c = b    d     end
//   argument a    0 ------ 1
//   saved b               1 ----------- 3                      read as an argument of @backward
#pragma once

#include "passes/schedule/memory/FixedPlaces.h"
#include "passes/schedule/memory/Layout.h"
#include "passes/schedule/memory/Rings.h"
#include "passes/schedule/memory/Values.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::schedule {

/// Live ranges of one timeline.
class LiveRanges {
public:
  /// Takes sections that run one after the other: those of the step, or one outside the step
  /// without `rings`. All arguments must outlive this object.
  LiveRanges(mlir::ModuleOp module, llvm::MutableArrayRef<analysis::Section> sections,
             const FixedPlaces &fixed, const Rings *rings);

  /// Computes the live ranges. Fails with a diagnostic if an argument has no source.
  mlir::LogicalResult run();

  Values &getValues() { return values; }
  /// Times of the sections.
  llvm::ArrayRef<SectionTimes> getTimes() const { return times; }

private:
  mlir::LogicalResult addSection(unsigned index);
  mlir::LogicalResult bindArgument(analysis::Section &section, unsigned argument);
  void addKernel(unsigned index, const analysis::Kernel &kernel);
  Buffer bufferOf(mlir::Value output, int64_t first, int64_t last) const;
  void extendOverCommunication(const analysis::Kernel &kernel);
  void extendToPlace(const analysis::Kernel &kernel);
  void extendToReaders(graph::RoleAttr role);

  mlir::ModuleOp module;
  llvm::MutableArrayRef<analysis::Section> sections;
  const FixedPlaces &fixed;
  const Rings *rings;
  Values values;
  llvm::SmallVector<SectionTimes> times;                    ///< by section
  llvm::StringMap<int64_t> startOf;                         ///< by name
  SectionTimes now;                                         ///< times of the current section
  llvm::DenseMap<mlir::Attribute, mlir::Value> valueOfRole; ///< results of earlier sections
};

} // namespace pcc::schedule
