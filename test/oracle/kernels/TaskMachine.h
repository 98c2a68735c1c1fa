// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a section of a task program in this process, as a device would. Kernels run their native
// code. Other instructions run by the object's support kernels of any size, or by a simple
// implementation if there is none.
#pragma once

#include "compiler/values/Tensor.h"
#include "dialects/task/Task.h"
#include "passes/lower/host/EmitKernels.h"
#include <map>

namespace pcc::test {

/// Maps an object of kernels from memory, for dlsym.
void *loadObject(const std::string &elf);

class TaskMachine {
public:
  /// Loads the kernels. Every launch is cut into `pieces` parts, which run one after the other in
  /// reverse order, so that a dependence between iterations shows. With `finishes`, matmuls with
  /// fused parts run as a plain matmul and a separate kernel, as if a library did the matmul.
  TaskMachine(mlir::ModuleOp module, const lower::KernelObject &object, int64_t pieces,
              bool finishes);
  ~TaskMachine();

  /// Returns the section's outputs for its inputs, both by name.
  std::map<std::string, values::Tensor> run(llvm::StringRef section,
                                            const std::map<std::string, values::Tensor> &inputs);

private:
  char *addressOf(mlir::Value buffer);
  void launch(task::LaunchOp op);
  void multiply(task::MatmulOp op);
  void convolve(task::ConvolutionOp op);
  void attend(task::AttentionOp op); // TaskAttention.cpp

  // TaskSupport.cpp
  /// Runs an instruction by the object's kernels of any size; returns false if there is none.
  bool support(mlir::Operation *op);
  bool support(task::MatmulOp op);
  bool support(task::ConvolutionOp op);
  bool support(task::AttentionOp op);
  /// Runs a support kernel on `count` elements. A program for GPUs must have the kernel.
  bool callSupport(const std::string &name, std::vector<void *> pointers,
                   std::vector<int64_t> numbers, int64_t count);

  mlir::ModuleOp module;
  task::ProgramOp program;
  void *library = nullptr;
  int64_t pieces;
  bool finishes;
  std::map<task::Space, std::vector<char>> spaces;
};

} // namespace pcc::test
