// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the cost of a training step on a described machine, from the program of one rank after
// the phase `spmd`: shapes are local and collectives are explicit. The roofline model
// (passes/analysis/cost/OpCostModel.h) gives the costs of ops, in the kernels that
// passes/analysis/cost/KernelShares.h predicts. runtime/machine/CollectiveCost.h gives the costs of
// collectives. Sections count as often as the step runs them. If a value is summed over actions,
// each action also reads and writes the sum. In a program with pipeline stages, each stage has its
// own cost (PipelineCost.h), because messages between stages take no computing time.
//
//   step = runs * (forward + recomputed + backward + exposed communication)
//          + exposed reductions of gradients + exposed gathers of parameters + update
//
// Hidden time: reductions of gradients overlap with the backward pass of the last action, each from
// when its gradient is ready. Gathers of updated parameters overlap with the forward pass.
// Collectives of activations overlap with the adjacent matmul, if the machine's library cuts both
// into chunks.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/types.pb.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <string>
#include <vector>

namespace pcc::plan {

/// Element types of mixed precision training, for a program that is written in f32.
struct Precision {
  abi::ElementType activations = abi::F32; ///< of all f32 values of forward and backward passes
  abi::ElementType gradients = abi::F32;   ///< in their reduction over the ranks
  /// Bytes per parameter element that the update moves in addition to the optimizer.
  double updateBytes = 0;

  /// f16 with scaled losses (Micikevicius et al.: Mixed precision training, ICLR 2018). Bytes moved
  /// per parameter element in the update:
  ///
  ///   copy gradients to f32              2 + 4
  ///   scale back, search for infinities  4 + 4
  ///   compute the norm                   4
  ///   clip by the norm                   4 + 4
  ///   copy new parameters to f16         4 + 2
  static Precision f16() { return {abi::F16, abi::F16, 32}; }
  /// bf16, with gradients summed in f32. Bytes per parameter element: compute the norm (4), clip by
  /// the norm (4 + 4), copy new parameters to bf16 (4 + 2).
  static Precision bf16() { return {abi::BF16, abi::F32, 18}; }
};

/// Kernels of one function that the caller knows. They replace the kernels that pcc would make.
struct GivenKernels {
  /// Number of an op's kernel, not 0. Such ops share kernels only with ops of the same number.
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  /// Seconds of single ops, instead of predicted seconds.
  llvm::DenseMap<mlir::Operation *, double> seconds;
};

/// How another system runs a step. The defaults describe pcc. Predictions of published step times
/// set these members for the system that was measured.
struct SystemTraits {
  /// All stages of a pipeline begin their reductions at about the same time as the first stage. A
  /// virtual stage of the first stage begins after its last backward pass. A virtual stage of stage
  /// s begins s backward passes later. With one virtual stage per stage, the first stage reduces
  /// during its last backward pass, and the other stages reduce after theirs.
  bool alignsReductions = false;
  /// Units that a collective of activations takes from the matmul with which it overlaps; 0: the
  /// same number as any other collective.
  int64_t activationUnits = 0;
  /// Messages between stages are in flight while the stage works.
  bool hidesMessages = true;
  /// The reduction of an input gradient over the ranks overlaps with the matmul that computes the
  /// weight gradient from the same operand.
  bool hidesInputGradients = false;
  /// A value gathered for a matmul is released, and gathered again in the backward pass. The second
  /// gather overlaps with the matmul of the input gradient.
  bool gathersAgain = false;
  /// Relative standard deviation of a matmul's time from device to device. A step waits for the
  /// slowest device.
  double spread = 0;
  /// Separate kernels add the gradients of every action to their sums, in the type in which they
  /// are reduced. Otherwise matmuls add their results in f32 while they multiply.
  bool addsApart = false;
  /// Bytes moved once per step for each gradient element, to clear the sum and to divide it by the
  /// number of its terms.
  double sumBytes = 0;
  /// The optimizer works on all parameters of a rank at once, in buffers that are cut at the rank's
  /// limits. No parameter has launches, cuts or exchanges of its own.
  bool updatesAtOnce = false;
  /// Returns the kernels of a function on a device. Empty: kernels are pcc's.
  std::function<GivenKernels(mlir::func::FuncOp, const abi::DeviceFigures &)> kernelsOf;
};

/// Assumptions of the estimate, as in the flags of `pcc explain --cost`.
struct CostOptions {
  Precision precision;
  /// Regular expression for names of forward ops that run again before the backward pass, with
  /// their collectives. Empty: none.
  std::string recompute;
  /// Regular expression for names of ops that mixed precision leaves in f32. Empty: none.
  std::string wide;
  /// Reductions of gradients and gathers of updated parameters overlap with computation.
  bool hidesReductions = true;
  /// Other collectives overlap with the adjacent matmuls.
  bool hidesActivations = false;
  /// Minimum bytes of a bucket before a reduction of the same group opens a new bucket.
  double bucketBytes = 0;
  SystemTraits system = {};
};

/// Seconds of one rank, by kind of work.
struct Seconds {
  double contraction = 0, elementwise = 0, reduction = 0, movement = 0;
  double communication = 0;

  double computing() const { return contraction + elementwise + reduction + movement; }
  double sum() const { return computing() + communication; }
};

/// The pass of a section to which an op belongs.
enum class Pass { Forward, Backward };

/// Cost of one op of a section. A repeated op is listed once, without its repetition.
struct OpTime {
  std::string name;     ///< from its location, or else its mnemonic
  std::string mnemonic; ///< `matmul`
  Pass pass = Pass::Forward;
  double seconds = 0;
};

/// Cost of one run of a section.
struct SectionCost {
  std::string name;
  int64_t runs = 0; ///< in a step
  /// Ops on which the loss depends, and all ops of a section without a loss.
  Seconds forward;
  Seconds recomputed, backward;
  double hidden = 0; ///< part of the communication
  /// Seconds of the longest message to other stages; not part of the numbers above.
  double message = 0;
  double flops = 0; ///< without recomputation
  int64_t liveBytes = 0;
  std::vector<OpTime> ops; ///< ops with a cost, in program order

  double sum() const { return forward.sum() + recomputed.sum() + backward.sum() - hidden; }
  /// Returns the part of the sum that is recomputation. Its communication is hidden in proportion.
  double recomputation() const;
};

/// Reductions over the ranks of the gradients of one section, or of no section: buckets, one after
/// the other.
struct SectionReductions {
  struct Bucket {
    double timeLeft = 0; ///< from when its gradients are ready to the end of the section
    double seconds = 0;
  };
  std::string section; ///< empty for none
  std::vector<Bucket> buckets;

  double sum() const;
};

struct StepCost {
  std::vector<SectionCost> sections;
  /// Reductions and gathers overlapped with sections, and the hidden part of their time.
  double reductions = 0, gathers = 0;
  double hidden = 0;
  std::vector<SectionReductions> sectionReductions;
  /// Bytes of the sections' arguments (parameters, states, gradients), and the peak including the
  /// live bytes of the largest section.
  int64_t heldBytes = 0, peakBytes = 0;

  /// Returns the seconds of a step.
  double sum() const;
};

/// Returns the bytes of a section's arguments (parameters, states, gradients), and of copies of
/// parameters in the type of the activations.
int64_t countHeldBytes(mlir::func::FuncOp function, abi::ElementType activations);

/// Estimates the cost of the step of `module`, after the phase spmd. Without a step, estimates one
/// run of each function. `cluster` is complete and has a device for each rank. Ops without a cost
/// are free.
StepCost estimateStepCost(mlir::ModuleOp module, const abi::Cluster &cluster,
                          const CostOptions &options = {});

} // namespace pcc::plan
