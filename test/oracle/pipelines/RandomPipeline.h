// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random models with branches, cut into random pipelines. A program is data, so that a failing one
// can be reduced.
//
//   %0 = matmul %x, %w0   chunk 0        chunk 0 ──► chunk 1 ──► chunk 3
//   %1 = tanh %0          chunk 1           │                      ▲
//   %2 = matmul %0, %w0   chunk 2           └──────► chunk 2 ──────┘
//   %3 = add %1, %2       chunk 3
//
// Values skip virtual stages (chunks), have several readers, and are joined again. Parameters are
// read in several virtual stages. Ops stand in any order that respects their operands.
#pragma once

#include "compiler/Compile.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::test {

/// One op on values of type [rows, width].
struct GraphOp {
  std::string name;             ///< mnemonic: `matmul`, `tanh`, `bias`, …
  std::vector<size_t> operands; ///< values: inputs first, then results of ops
  int parameter = -1;           ///< index, for `matmul`, `bias`, `layer_norm`; -1: none
  bool transposes = false;      ///< the parameter of `matmul` is transposed
  int64_t width = 0;            ///< width of the result
  int64_t chunk = -1;           ///< virtual stage in the op's annotation; -1: no annotation
  bool recomputes = false;
};

/// Training options of a model, and its distribution over ranks.
struct PipelineSetup {
  std::string schedule;
  int stages = 2, virtualStages = 1;
  int microBatches = 2, copies = 1;
  int ranksPerStage = 1;
  int rows = 1; ///< rows of one copy of a microbatch on one rank
  bool averages = false;
  /// Level of the sharded optimizer; 0: not sharded.
  int optimizerLevel = 0;
  std::string optimizer;
  std::string cluster; ///< short form; empty: no machine is described

  int chunks() const { return stages * virtualStages; }
  int64_t batch() const { return int64_t(rows) * microBatches * copies * ranksPerStage; }
  /// Returns the flags of `pcc verify`.
  std::string flags() const;
  /// Return the options for all ranks, and for one device that computes the same.
  CompileOptions options() const;
  CompileOptions optionsOfOneDevice() const;
};

struct RandomPipeline {
  PipelineSetup setup;
  std::vector<int64_t> inputs;                         ///< widths
  std::vector<std::pair<int64_t, int64_t>> parameters; ///< shapes; second is 0 for a vector
  std::vector<GraphOp> ops;
  /// Number of classes of the output, which is trained with labels; 0: the model has a loss of its
  /// own.
  int64_t classes = 0;

  /// Returns the module as text.
  std::string text() const;
  int64_t widthOf(size_t value) const {
    return value < inputs.size() ? inputs[value] : ops[value - inputs.size()].width;
  }
  bool isUsed(size_t value) const;
};

/// Draws a model and a pipeline that meet the schedule's requirements on stages, microbatches and
/// virtual stages.
RandomPipeline makeRandomPipeline(uint64_t seed);

/// The failing step of a check, and the error; both are empty after success.
struct PipelineFailure {
  std::string step; ///< `compile`, `interpreter` or `cpu`
  std::string text;

  explicit operator bool() const { return !step.empty(); }
};

/// Compiles the program, which proves it, and compares it with one device in the interpreter. With
/// `runsOnCpu` it also runs the compiled program, with ranks as threads.
PipelineFailure checkPipeline(const RandomPipeline &program, bool runsOnCpu);

/// Returns the smallest program found that still fails in the same step; ops are dropped one by
/// one.
RandomPipeline shrink(RandomPipeline program, const PipelineFailure &failure);

} // namespace pcc::test
