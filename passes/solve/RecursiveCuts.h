// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RECURSIVE_PROGRAMMING: how to split every op of a model by cutting the devices in two, again and
// again (the D-Rec of MindSpore: Wang et al.,
// A Double Recursive Algorithm for Automatic Parallelism; its costs as docs/spec/search.md states
// them). A decision is made by its local cost alone, so the
// time is linear in the ops and in the number of cuts.
//
//   256x784 times 784x512 on 8 devices; factors i = 256, j = 512, k = 784
//   round   cutting i: jk/8   j: ik/2    k: ij/2   takes
//   1       50,176            100,352    65,536    i
//   2       50,176             50,176    32,768    k
//   3       25,088             25,088    32,768    i, the first of equal ones
//   counts 4, 1, 2
//
// To these costs come 16 times the elements of each tensor that a neighbour, decided before in the
// same round, cuts in another way.
#pragma once

#include <cstdint>
#include <vector>

namespace pcc::solve {

/// One factor of a rule.
struct CutFactor {
  int64_t size = 1;
  bool isSplittable = true;
};

/// An operand or a result as a rule sees it.
struct CutOperand {
  std::vector<std::vector<int>> dims; ///< the factors of each dimension, slowest first
  /// What an element costs if the tensor is not cut: moved in half of the cases, for an operand
  /// that is small or a parameter less.
  double weight = 0.5;
};

/// How ops of one kind and one shape can be cut.
struct CutRule {
  std::vector<CutFactor> factors;
  std::vector<CutOperand> operands; ///< and results
};

struct CutOp {
  int rule = 0;
  std::vector<int> tensors;    ///< one for each operand of the rule
  double weight = 0;           ///< heavier ones decide first
  std::vector<int> given = {}; ///< by round, the factor that must be cut, or −1; empty: free
};

struct CutProblem {
  std::vector<CutRule> rules;
  std::vector<CutOp> ops;
  int numTensors = 0;
};

/// One cut of the devices into `parts`; by op, the factor that it cuts, or −1 for none: its work is
/// repeated.
struct CutRound {
  int64_t parts = 2;
  std::vector<int> factors;
};

/// The prime factors of a number of devices, largest first: the rounds, unless others are given.
std::vector<int64_t> listPrimes(int64_t devices);

/// Cuts the devices into `parts[0]` parts, then each of these into `parts[1]`, and so on. Every cut
/// divides what is left of its factor and leaves blocks contiguous; those that are given are legal.
/// `work`, if given, receives how many prices were calculated: of one operand if one factor is cut.
std::vector<CutRound> cutRecursively(const CutProblem &problem, const std::vector<int64_t> &parts,
                                     uint64_t *work = nullptr);

} // namespace pcc::solve
