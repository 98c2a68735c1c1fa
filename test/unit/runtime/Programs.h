// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables built by hand, in the form in which the compiler links them.

#pragma once

#include "runtime/abi/program.pb.h"

#include <string>
#include <vector>

namespace pcc::test {

/// Adds consecutive buffers to a program's memory plan, and instructions to its sections.
class ProgramBuilder {
public:
  /// Makes a program for a mesh dp=ranks with the object of Kernels.c and one group of all ranks.
  explicit ProgramBuilder(int ranks);

  uint32_t buffer(const std::string &name, abi::Space space, abi::ElementType type,
                  const std::vector<int64_t> &shape);
  /// Adds a buffer for a parameter that every rank holds whole.
  uint32_t parameter(const std::string &name, const std::vector<int64_t> &shape, double deviation);
  /// Adds an input whose rows are cut over the ranks; `rows` counts those of one microbatch on all
  /// ranks.
  uint32_t input(const std::string &name, abi::ElementType type, int64_t rows,
                 std::vector<int64_t> rowShape);
  abi::Section &section(const std::string &name);
  abi::Instruction &launch(abi::Section &section, const std::string &kernel,
                           const std::vector<uint32_t> &buffers,
                           const std::vector<int64_t> &scalars, int64_t trip = 1);
  abi::Instruction &allReduce(abi::Section &section, uint32_t buffer);

  abi::Block whole(abi::ElementType type, const std::vector<int64_t> &shape) const;
  /// Returns a block that holds the rank's rows.
  abi::Block rows(abi::ElementType type, int64_t rows, const std::vector<int64_t> &rowShape) const;

  const int ranks;
  /// The axis of the mesh over which rows are cut.
  uint32_t dataAxis = 0;
  abi::Executable executable;
  abi::Program &program;
};

struct MlpOptions {
  int ranks = 1;
  /// Rows of the whole batch.
  int64_t batch = 32;
  int microBatches = 1;
  std::vector<int64_t> widths = {784, 512, 512, 10};
  double rate = 0.1;
  /// Gradients are reduced on the stream COMMUNICATION and awaited one by one.
  bool overlapped = false;
};

/// Makes a data-parallel multi-layer perceptron. Inputs: "image", "label". The loss is averaged
/// over the batch. Parameters: "w0", "b0", …. Sections: forward, forward_backward, update.
abi::Executable makeMlp(const MlpOptions &options);

} // namespace pcc::test
