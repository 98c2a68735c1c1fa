// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of `pcc explain`, each as a table and as JSON: the collectives of a program, the types in
// which ops compute, the parameters, the cost of a step, and the options of an op in a searched
// plan.
#pragma once

#include "compiler/plan/cost/StepCost.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/strategy/search/Search.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/program.pb.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <vector>

namespace pcc::cli {

//===-- CommunicationReport.cpp: `pcc explain --communication` --------------------------------===//

/// One collective.
struct Communication {
  std::string kind;                         ///< `all_reduce`
  std::string op;                           ///< name of the model's op that it serves; may be empty
  std::string location;                     ///< source location of that op; may be empty
  std::vector<std::vector<int64_t>> groups; ///< groups of ranks; pairs for a send or receive
  int64_t bytes = 0;                        ///< received by the busiest rank
  std::optional<double> seconds;            ///< estimated time; absent without a machine
  std::optional<abi::Request> request;      ///< who asked for it, as far as it is known
};

/// The collectives of one section in the order of its instructions.
struct SectionCommunication {
  std::string section;
  int64_t runs = 0; ///< executions in one step
  std::vector<Communication> collectives;
};

/// Lists the collectives of a valid program, linked or without its kernels. `cluster` is complete
/// and has a device for each rank.
std::vector<SectionCommunication> reportCommunication(const abi::Executable &program,
                                                      const std::optional<abi::Cluster> &cluster);

/// Returns a list with one object per collective.
llvm::json::Value toJson(const std::vector<SectionCommunication> &report);

/// Prints the totals of each section, a table of its collectives if it has any, and the totals of a
/// step. Groups that match axes of `mesh` are named by these axes. With `explains`, a paragraph for
/// each collective replaces the table. It says what the collective moves, for whom and why.
void printTable(const std::vector<SectionCommunication> &report, const abi::Mesh &mesh,
                bool explains);

//===-- PrecisionReport.cpp: `pcc explain --precision=…` --------------------------------------===//

/// In which types the ops of one kind compute.
struct OpPrecision {
  std::string op;      ///< `matmul`
  int64_t halves = 0;  ///< ops with results of the half type
  int64_t singles = 0; ///< other float ops
  std::string why;
};

/// Lists the kinds of float ops in @forward of a module after phase graph, those that compute in
/// the half type first, and casts last.
std::vector<OpPrecision> reportPrecision(mlir::ModuleOp module);

/// Returns a list with one object per kind.
llvm::json::Value toJson(const std::vector<OpPrecision> &report);

/// Prints one row per kind. `half` is the name of the half type.
void printTable(const std::vector<OpPrecision> &report, llvm::StringRef half);

//===-- ParameterReport.cpp: `pcc explain --parameters` ---------------------------------------===//

/// A parameter on a rank.
struct HeldParameter {
  std::string name, element;         ///< element: `f32`
  std::vector<int64_t> shape, slice; ///< of the whole tensor, and of a rank's slice
  bool trainable = false;
  int64_t bytes = 0;      ///< of the slice
  int64_t stateBytes = 0; ///< of the optimizer states that belong to it
};

struct StageParameters {
  int64_t firstRank = 0, ranks = 1;
  std::vector<HeldParameter> parameters; ///< in program order; states are counted with their owners
};

/// Lists the parameters of each stage.
std::vector<StageParameters> reportParameters(const abi::Executable &executable);

/// Returns a list with one object per parameter:
/// `{"stage", "name", "type", "shape", "slice", "trainable", "bytes", "state_bytes"}`.
llvm::json::Value toJson(const std::vector<StageParameters> &report);
void printTable(const std::vector<StageParameters> &report);

//===-- CostReport.cpp: `pcc explain --cost` --------------------------------------------------===//

/// Prints a table of milliseconds, a row for each pass of each section, and the totals.
void printTable(const plan::StepCost &step);

/// Returns `{"step_seconds", "peak_bytes", "held_bytes", "reductions", "gathers", "hidden",
/// "sections": [{"section", "runs", "seconds", "flops", "live_bytes", "hidden", "forward": {…},
/// "recomputed": {…}, "backward": {…}}]}`, in seconds.
llvm::json::Value toJson(const plan::StepCost &step);

//===-- OpReport.cpp: `pcc explain --op` ------------------------------------------------------===//

/// Prints a row for each option with its plan's step time, then its shardings and what makes it
/// worse.
void printTable(const strategy::OpExplanation &explanation);

/// Returns `{"op", "section", "rule", "runs", "mesh", "cost", "bound", "options": [{"chosen",
/// "split", "in_strategy", "out_strategy", "seconds", "bytes", "collectives": [{"collective",
/// "seconds"}], "status", "cost", "bound", "against": {"from", "to", "made", "wanted", "steps",
/// "before", "after"}}]}`. Times are in seconds of a step; those of collectives are of one run.
llvm::json::Value toJson(const strategy::OpExplanation &explanation);

} // namespace pcc::cli
