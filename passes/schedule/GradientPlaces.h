// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From where on in a step gradients are complete: in the last slot of the last section that adds to
// them, behind the kernel that computes their term there. Kernels of the update that need no more
// than that can run there:
//
//   @backward   kernel 17 computes the gradient "w", which is summed over all slots
//   @update     kernel 3 reduces the gradient "w" over the ranks: place [@backward, 17]
//
// Collectives of a rank run one after the other, and a reduction is long. Other stages wait for
// what a stage sends, each for the one behind it, so a delay of any adds to the step. So no place
// is before the last collective that something sent needs; the first stage, which is the last to
// be done, sends nothing back.
#pragma once

#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"

namespace pcc::schedule {

/// From where on something is there: behind a kernel of the last slot of a section.
struct Place {
  int64_t slot = -1; ///< position in the step; -1: from the begin on
  llvm::StringRef section;
  int64_t behind = -1;

  bool operator<(const Place &other) const {
    return std::tie(slot, behind) < std::tie(other.slot, other.behind);
  }
};

/// Where gradients are complete.
class GradientPlaces {
public:
  explicit GradientPlaces(mlir::ModuleOp module);
  /// Nothing for other values, and for gradients that slots of several microbatches do not sum.
  std::optional<Place> find(graph::RoleAttr role) const;
  /// By kernel of a section that runs behind: from where on all that it reads is there; nothing
  /// where it must stay in its own section.
  llvm::SmallVector<std::optional<Place>> placeKernels(facts::Section &section,
                                                       llvm::ArrayRef<facts::Kernel> kernels) const;

private:
  using Places = llvm::ArrayRef<std::optional<Place>>;
  void add(facts::Section &section, unsigned result, int64_t slot);
  void keepBehindSent(facts::Section &section, int64_t slot);
  std::optional<Place> placeOf(facts::Section &section, mlir::Value value, Places before) const;

  llvm::DenseMap<mlir::Attribute, Place> places;
  Place sent; ///< the last collective that something sent needs
};

} // namespace pcc::schedule
