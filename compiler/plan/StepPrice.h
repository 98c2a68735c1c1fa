// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a training step costs on a described machine, read from the program of one rank: the stage
// `spmd`, whose shapes are local and whose collectives stand in it. Ops are priced by the roofline
// (passes/facts/OpPrice.h), as if they ran in the kernels that passes/facts/KernelShares.h expects,
// collectives by runtime/machine/CollectivePrice.h, sections as often as the step runs them. What
// is summed over slots is read and written once more in each. Of a program that was cut in
// pipeline stages a stage is priced by itself (PipelinePrice.h): messages between stages keep
// nobody busy.
//
//   step = runs * (forward + recomputed + backward + exposed communication)
//          + exposed reductions of gradients + update
//
// What is hidden: the gradients' reductions run beside the backward pass of the last slot, each
// from when its gradient is ready; gathers of updated parameters beside the forward pass;
// collectives of activations, if the machine's library cuts them and products into pieces, beside
// the product that stands next to them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/types.pb.h"

#include <string>
#include <vector>

namespace pcc::plan {

/// Which types count where a program is trained in mixed precision although it is written in f32.
struct Precision {
  abi::ElementType activations = abi::F32; ///< of all f32 values of forward and backward passes
  abi::ElementType gradients = abi::F32;   ///< in their reduction over the ranks
  /// Moved in the update for each element of a parameter, beside what the optimizer moves.
  double updateBytes = 0;

  /// f16 with scaled losses (Micikevicius et al.: Mixed precision training, ICLR 2018): gradients
  /// are copied to f32 (2 + 4 bytes), scaled back and searched for infinities (4 + 4), their norm
  /// is taken (4) and they are clipped by it (4 + 4), new parameters are copied to f16 (4 + 2).
  static Precision f16() { return {abi::F16, abi::F16, 32}; }
  /// bf16, gradients summed in f32: their norm is taken (4) and they are clipped by it (4 + 4), new
  /// parameters are copied to bf16 (4 + 2).
  static Precision bf16() { return {abi::BF16, abi::F32, 18}; }
};

/// A kernel of the system whose program is priced, where it is known what that moves or how fast it
/// is (KnownKernels.h).
struct KnownKernel {
  /// Its ops, by names: a regular expression. Those are one kernel for which its group matches the
  /// same text, or all of it where it has none.
  std::string ops;
  /// Moved for each element of the largest value that it reads or gives. 0, where it has no rate
  /// either: the product next to it computes it.
  double bytes = 0;
  /// At which rates it moves them, and multiplies; 0: that of memory, and at once.
  double bytesPerSecond = 0, flopsPerSecond = 0;
};

struct PriceOptions {
  Precision precision;
  /// Forward ops, by names, that run again before the backward pass, whose collectives run again as
  /// well: a regular expression. Empty: none.
  std::string recompute;
  /// Whether gradients are reduced, and updated parameters gathered, beside computation.
  bool hidesReductions = true;
  /// Whether the stages of a pipeline begin their reductions at about the same time as the first.
  /// Each chunk of that begins behind its last backward pass, of a later stage as many backward
  /// passes later as stages stand before it. Where a stage is one chunk, the first reduces beside
  /// its last backward pass, the others behind theirs.
  bool alignsReductions = false;
  /// Whether other collectives run beside the products next to them.
  bool hidesActivations = false;
  /// Units that a collective of activations takes from the product beside it; 0: as many as any
  /// collective.
  int64_t activationUnits = 0;
  /// Whether messages between stages are on the way while the stage works.
  bool hidesMessages = true;
  /// Whether the reduction of an input's gradient over the ranks runs beside the product that
  /// computes the weight's gradient from the same operand.
  bool hidesInputGradients = false;
  /// Whether what is gathered for a product is let go, and gathered again in the backward pass
  /// beside the product of the input's gradient.
  bool gathersAgain = false;
  /// By how much, as a share, the times of a product differ from device to device: their standard
  /// deviation. A step waits for the slowest.
  double spread = 0;
  /// Reductions of one group wait for each other until they come to so many bytes.
  double bucketBytes = 0;
  /// Whether the gradients of every slot are added to their sums by kernels of their own, in the
  /// type in which they are reduced; else products add theirs in f32 while they multiply.
  bool addsApart = false;
  /// Moved once in a step for each element of a gradient, whose sum is cleared and divided by the
  /// number of its terms.
  double sumBytes = 0;
  /// Whether the optimizer works on all parameters of a rank at once, in buffers that are cut
  /// wherever a rank's part ends: nothing is launched, cut or exchanged for a parameter by itself.
  bool updatesAtOnce = false;
  /// How the system fuses whose program this is: ops, by names, that are kernels of their own, and
  /// ops that share kernels with each other only. Regular expressions; empty: none.
  std::string alone, apart;
  /// What is known of its kernels; an op belongs to the first that has it.
  std::vector<KnownKernel> kernels;
  /// Ops that move elements, by names, which are views in that system: products read their operands
  /// wherever they lie. A regular expression; empty: none.
  std::string views;
  /// Ops, by names, that mixed precision leaves in f32. A regular expression; empty: none.
  std::string wide;
};

/// Seconds of one rank, by what they are spent on.
struct Seconds {
  double contraction = 0, elementwise = 0, reduction = 0, movement = 0;
  double communication = 0;

  double computing() const { return contraction + elementwise + reduction + movement; }
  double sum() const { return computing() + communication; }
  Seconds &operator+=(const Seconds &other);
};

/// Which pass of a section an op belongs to.
enum class Pass { Forward, Backward };

/// One op of a section; of a repeated one the first time.
struct PricedOp {
  std::string name;     ///< that of its location, else its mnemonic
  std::string mnemonic; ///< `matmul`
  Pass pass = Pass::Forward;
  double seconds = 0;
};

/// One run of a section.
struct SectionPrice {
  std::string name;
  int64_t runs = 0; ///< in a step
  /// Ops that the loss depends on, and all ops of a section without a loss.
  Seconds forward;
  Seconds recomputed, backward;
  double hidden = 0; ///< of the communication
  /// The longest of the messages that it sends to other stages, which is in none of the above.
  double message = 0;
  double flops = 0; ///< without recomputation
  int64_t liveBytes = 0;
  std::vector<PricedOp> ops; ///< that cost something, in program order

  double sum() const { return forward.sum() + recomputed.sum() + backward.sum() - hidden; }
  /// What of that is recomputation, whose share of the communication is hidden like the rest.
  double recomputation() const;
};

/// How the gradients of one section, or those of none, are reduced over the ranks: in buckets, one
/// after the other.
struct SectionReductions {
  struct Bucket {
    double timeLeft = 0; ///< from when its gradients are ready to the end of the section
    double seconds = 0;
  };
  std::string section; ///< empty for none
  std::vector<Bucket> buckets;

  double sum() const;
};

struct StepPrice {
  std::vector<SectionPrice> sections;
  /// In sections' communication, and hidden behind other sections.
  double reductions = 0, gathers = 0;
  double hidden = 0;
  std::vector<SectionReductions> sectionReductions;
  /// Arguments of the sections (parameters, states, gradients) and the most that one has live.
  int64_t heldBytes = 0, peakBytes = 0;

  /// Seconds of a step.
  double sum() const;
};

/// Bytes of the arguments of a section (parameters, states, gradients), and of copies of parameters
/// in the type of the activations.
int64_t countHeldBytes(mlir::func::FuncOp function, abi::ElementType activations);

/// Prices the step of `module`, at the stage spmd, or, if it has none, one run of each function.
/// `cluster` is complete and has a device for each rank. Ops without a price cost nothing.
StepPrice priceStep(mlir::ModuleOp module, const abi::Cluster &cluster,
                    const PriceOptions &options = {});

} // namespace pcc::plan
