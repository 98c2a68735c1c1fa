// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From pins and a dataset strategy to shardings on one mesh: which op, parameter or input each pin
// speaks of, whether it is legal there, and which mesh serves all of them.
#pragma once

#include "passes/strategy/CheckStrategy.h"
#include "passes/strategy/DatasetStrategy.h"
#include "passes/strategy/Pins.h"
#include "passes/strategy/StepMarker.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::strategy {

/// Of what one pin speaks, or a loaded strategy as a whole.
struct PinShare {
  std::string text; ///< for messages: `pin "/h.0" at pins.textproto:3`
  bool isRestored = false;
  std::vector<mlir::Operation *> ops;
  std::vector<std::string> parameters, inputs;
};

class PinResolver {
public:
  /// The program's ranks are `given`, to whose axes pins refer by name; without it there are
  /// `numRanks` and no names.
  PinResolver(mlir::ModuleOp module, std::optional<dist::Mesh> given, int64_t numRanks)
      : module(module), given(std::move(given)), mesh(this->given.value_or(dist::Mesh())),
        numRanks(numRanks) {}

  /// Finds what each pin speaks of and checks it, restored ones last. Diagnoses and fails.
  mlir::LogicalResult match(llvm::ArrayRef<Pin> pins);
  /// Takes the option dataset_strategy, behind the pins. Diagnoses and fails.
  mlir::LogicalResult feed(llvm::StringRef datasetStrategy);
  /// Without a mesh: the ranks are one axis, to be cut so that `parts` of them can split a batch.
  void spanBatch(int64_t parts);
  /// Whether no pin has found anything.
  bool isEmpty() const { return ops.empty() && parameters.empty() && inputs.empty(); }
  /// Cuts the mesh as finely as the matched pins need and adds them to `shardings`, on the
  /// mesh that is returned.
  dist::Mesh resolve(GivenShardings &shardings) const;
  /// Of what each of the matched `pins` speaks, in their order, a loaded strategy last. What
  /// several say is in the share of each.
  std::vector<PinShare> listShares(llvm::ArrayRef<Pin> pins) const;

private:
  /// A legal strategy of an op.
  struct OpRequest {
    const Pin *pin;
    CheckedStrategy strategy;
    llvm::SmallVector<const Pin *, 0> others = {}; ///< that say the same
  };
  /// A legal cut of a parameter or an input.
  struct TensorRequest {
    const Pin *pin;
    Cuts cuts;
    llvm::SmallVector<const Pin *, 0> others = {};
  };
  using TensorRequests = llvm::MapVector<llvm::StringRef, TensorRequest>;

  mlir::LogicalResult match(const Pin &pin);
  void tryMatch(const Pin &pin);
  mlir::LogicalResult matchExact(const Pin &pin);
  mlir::LogicalResult matchOps(const Pin &pin);
  void indexOps();
  /// The ops that a pin speaks of, in program order.
  llvm::SmallVector<mlir::Operation *> findOps(const Pin &pin);
  mlir::LogicalResult matchTensors(const Pin &pin);
  mlir::LogicalResult requestOp(const Pin &pin, mlir::Operation *op);
  mlir::LogicalResult requestTensor(const Pin &pin, llvm::StringRef name,
                                    mlir::RankedTensorType type, TensorRequests &requests);

  mlir::ModuleOp module;
  std::optional<dist::Mesh> given;
  dist::Mesh mesh; ///< for checks: the given one, or one without axes
  int64_t numRanks;
  llvm::MapVector<mlir::Operation *, OpRequest> ops;
  TensorRequests parameters, inputs;
  FedInputs fed;
  DeviceMatrix batch; ///< of the axis that spanBatch makes
  /// Those that pins may speak of, in program order, and by each of their names; filled when first
  /// asked, as the next.
  std::vector<mlir::Operation *> allOps;
  llvm::StringMap<std::vector<mlir::Operation *>> opsByName;
  llvm::StringMap<mlir::Operation *> exactNames;
};

} // namespace pcc::strategy
