// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RECURSIVE_PROGRAMMING: splits every op of a model by cutting the devices recursively in two. This
// is the D-Rec algorithm of MindSpore (Wang et al., A Double Recursive Algorithm for Automatic
// Parallelism). docs/spec/auto-parallel.md defines the costs. Each decision uses local costs only,
// so the time is linear in the number of ops and of cuts.
//
//   256x784 times 784x512 on 8 devices; factors i = 256, j = 512, k = 784
//   round   cut i: jk/8       j: ik/2    k: ij/2   decision
//   1       50,176            100,352    65,536    i
//   2       50,176             50,176    32,768    k
//   3       25,088             25,088    32,768    i, the first of two equal costs
//   counts 4, 1, 2
//
// Neighbors are ops that read or produce the same tensor. For each neighbor that cuts a tensor in
// another way, the cost also includes 16 times the tensor's elements. Only neighbors that were
// decided earlier in the same round count.
#pragma once

#include <cstdint>
#include <vector>

namespace pcc::solve {

/// One factor of a rule.
struct CutFactor {
  int64_t size = 1;
  bool isSplittable = true;
};

/// An operand or a result of a rule.
struct CutOperand {
  std::vector<std::vector<int>> dims; ///< factors of each dimension, outermost first
  /// Cost per element if the tensor is not cut. The default of one half assumes that half of the
  /// uncut tensors are moved. Small operands and parameters cost less.
  double weight = 0.5;
};

/// The possible cuts of ops of one kind and shape.
struct CutRule {
  std::vector<CutFactor> factors;
  std::vector<CutOperand> operands; ///< operands and results
};

struct CutOp {
  int rule = 0;
  std::vector<int> tensors; ///< one for each operand of the rule
  double weight = 0;        ///< ops with higher weight decide first
  /// By round: the factor that must be cut, or −1 for no cut. Empty if the op is free.
  std::vector<int> given = {};
};

struct CutProblem {
  std::vector<CutRule> rules;
  std::vector<CutOp> ops;
  int numTensors = 0;
};

/// One cut of the devices into `parts`. `factors` has for each op the factor that it cuts. It is −1
/// if all parts repeat the op's work.
struct CutRound {
  int64_t parts = 2;
  std::vector<int> factors;
};

/// Returns the prime factors of a number of devices in descending order. They are the default
/// rounds.
std::vector<int64_t> listPrimes(int64_t devices);

/// Cuts the devices into `parts[0]` parts, then each part into `parts[1]`, and so on. Every cut
/// divides the remaining size of its factor and leaves blocks contiguous; given cuts are legal.
/// `work`, if not null, is set to the number of costs computed: one operand for one factor each.
std::vector<CutRound> cutRecursively(const CutProblem &problem, const std::vector<int64_t> &parts,
                                     uint64_t *work = nullptr);

} // namespace pcc::solve
