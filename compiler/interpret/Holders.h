// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who holds a value of the outside. Of most values that is one stage, by one name. A parameter that
// several chunks of a model use has a copy for each, which are equal; its gradient is the sum of
// what the copies have.
//
//   parameter w     stage 0, stage 2           equal
//   gradient w      stage 0, stage 2           added up
//   parameter w     "w", "w.chunk2"            the same before the cut in stages
//   gradient w      "w", "w.chunk2"
#pragma once

#include "compiler/interpret/Section.h"

namespace pcc::interpret {

class Holders {
public:
  /// A stage that has a value under one key in several sections holds it once. `section` must
  /// outlive this.
  void add(Section &section, const Binding &binding);
  void addArguments(Section &section);
  void addResults(Section &section);

  /// What the holder that `binding` of `section` is, which was added, gets of a global value: a
  /// gradient is dealt out to all, so that none may be ignored.
  Tensor shareOf(const Section &section, const Binding &binding, const Tensor &global) const;

  /// The global values, of which `perRank` has each rank's parts by their keys inside. Diagnoses
  /// copies that should be equal and are not.
  mlir::FailureOr<NamedTensors> join(llvm::ArrayRef<NamedTensors> perRank, const World &world,
                                     Precision precision) const;

private:
  struct Holder {
    Section *section;
    const Binding *binding;
  };
  using List = llvm::SmallVector<Holder, 1>;

  /// Its place in `list`, behind the end if it is not there.
  static size_t findPlace(const List &list, const Section &section, const Binding &binding);
  static mlir::FailureOr<Tensor> joinCopies(const List &list, llvm::ArrayRef<Tensor> values,
                                            Precision precision);

  std::map<std::string, List> holders; ///< by key outside
};

} // namespace pcc::interpret
