// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a section of a task program in this process: kernels from their native code, everything else
// by the object's kernels of any size, or where it has none in the plainest way. What a device
// does, without one.
#pragma once

#include "compiler/interpret/Tensor.h"
#include "dialects/task/Task.h"
#include "passes/lower/EmitKernels.h"
#include <map>

namespace pcc::test {

/// Maps an object of kernels from memory, for dlsym.
void *loadObject(const std::string &elf);

class TaskMachine {
public:
  /// Loads the kernels. `pieces` pieces of every launch run one after the other, in reverse order,
  /// so that a dependence between iterations shows. With `finishes`, products that do more are made
  /// plain and finished by a kernel of their own, as where a library does the product.
  TaskMachine(mlir::ModuleOp module, const lower::KernelObject &object, int64_t pieces,
              bool finishes);
  ~TaskMachine();

  /// The section's outputs for its inputs, both by name.
  std::map<std::string, interpret::Tensor>
  run(llvm::StringRef section, const std::map<std::string, interpret::Tensor> &inputs);

private:
  char *addressOf(mlir::Value buffer);
  void launch(task::LaunchOp op);
  void multiply(task::MatmulOp op);
  void convolve(task::ConvolutionOp op);
  void attend(task::AttentionOp op); // TaskAttention.cpp

  // TaskSupport.cpp
  /// Runs a record by the object's kernels of any size; false where it has none.
  bool support(mlir::Operation *op);
  bool support(task::MatmulOp op);
  bool support(task::ConvolutionOp op);
  bool support(task::AttentionOp op);
  /// Runs one on `count` elements. A program for GPUs must have it.
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
