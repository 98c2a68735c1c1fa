// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the holders of each external value. A holder is a stage, and a key under which its
// functions take or return the value. Most values have one holder. A parameter that several virtual
// stages use has one copy per virtual stage; the copies are equal, and its gradient is the sum over
// the copies.
//
//   parameter w     stage 0, stage 2           equal
//   gradient w      stage 0, stage 2           added
//   parameter w     "w", "w.chunk2"            same, before the model is cut into stages
//   gradient w      "w", "w.chunk2"
#pragma once

#include "compiler/interpret/function/Section.h"

namespace pcc::interpret {

class Holders {
public:
  /// Adds a holder. A stage that has a value under one key in several sections is one holder.
  /// `section` must outlive this object.
  void add(Section &section, const Binding &binding);
  void addArguments(Section &section);
  void addResults(Section &section);

  /// Returns the part of a global value for the holder `binding` of `section`, which must have been
  /// added. A gradient is distributed over all holders, so that none may be ignored.
  Tensor shareOf(const Section &section, const Binding &binding, const Tensor &global) const;

  /// Returns the global values. `perRank` has each rank's parts by their internal keys. Emits an
  /// error for copies that should be equal but are not.
  mlir::FailureOr<NamedTensors> join(llvm::ArrayRef<NamedTensors> perRank, const World &world,
                                     Precision precision) const;

private:
  struct Holder {
    Section *section;
    const Binding *binding;
  };
  using List = llvm::SmallVector<Holder, 1>;

  /// Returns the position in `list`; the size of the list if the holder is not in it.
  static size_t findPlace(const List &list, const Section &section, const Binding &binding);
  static mlir::FailureOr<Tensor> joinCopies(const List &list, llvm::ArrayRef<Tensor> values,
                                            Precision precision);

  std::map<std::string, List> holders; ///< by external key
};

} // namespace pcc::interpret
