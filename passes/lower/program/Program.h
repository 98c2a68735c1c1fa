// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a task program: its buffers, their bindings and its instructions.
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::lower {

// Outlines kernels as functions.

/// A kernel as a function, with the ops that give its scalar arguments.
struct OutlinedKernel {
  mlir::func::FuncOp function;
  /// Ops whose values are the scalar arguments, in order: `dist.rank`, and `dist.group_size` of
  /// groups of different sizes.
  llvm::SmallVector<mlir::Operation *> scalars;
};

/// Outlines kernels as functions. Kernels that are equal except for names share one function.
class Outliner {
public:
  explicit Outliner(mlir::ModuleOp module) : module(module) {}

  /// `tiedTo` gives for each output the number of the input that it overwrites, or -1.
  OutlinedKernel outline(const analysis::Kernel &kernel, llvm::ArrayRef<int64_t> tiedTo);
  int64_t numKernels() const { return numOutlined; }
  int64_t numFunctions() const { return functions.size(); }

private:
  mlir::func::FuncOp deduplicate(mlir::func::FuncOp function, mlir::Operation *last);

  mlir::ModuleOp module;
  llvm::StringMap<mlir::func::FuncOp> functions; ///< by text without the name
  int64_t numOutlined = 0;
};

// Finds hoisted kernels: kernels that run in the last action of another section than their own
// (`task.hoisted`). If that section has several actions, its last action runs a separate section:
// the same instructions plus those of the hoisted kernels.
//
//   actions        backward[0]  backward[1]  backward_last[2]  update
//   instructions   of @backward        a  b  c
//                  of @backward_last   a  b  all_reduce  c

/// A kernel and the section for which it computes values.
struct HoistedKernel {
  analysis::Section *section = nullptr;
  analysis::Kernel kernel;
};

class HoistedKernels {
public:
  explicit HoistedKernels(llvm::MutableArrayRef<analysis::Section> sections);

  /// Returns the kernels that run in the last action of `section`, in their order.
  llvm::ArrayRef<HoistedKernel> in(llvm::StringRef section) const;
  /// Returns the section that runs in the last action of `section`: a separate one, or `section`
  /// itself.
  std::string lastActionOf(llvm::StringRef section) const;

private:
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<HoistedKernel>> kernels;
  llvm::StringMap<int64_t> runs; ///< executions per step, by section
};

/// The buffers of a program: one op for each place and type.
class Buffers {
public:
  explicit Buffers(mlir::Block *program) : program(program) {}

  /// The buffer at a place, as elements of `type`.
  mlir::Value at(task::PlaceAttr place, mlir::ShapedType type, llvm::StringRef name,
                 mlir::Location loc);
  /// The buffer of a value of a scheduled function; a view has the buffer of its root.
  mlir::Value of(mlir::Value value);
  /// Returns the buffer in the value's own shape, for instructions that cut along dimensions.
  mlir::Value inShapeOf(mlir::Value value);
  /// The buffer of a constant's bytes.
  mlir::Value constant(mlir::ElementsAttr value, mlir::Location loc);
  int64_t constantBytes() const { return constantEnd; }

private:
  mlir::Block *program;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Value> known;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  int64_t constantEnd = 0;
};

/// The place of a value of a scheduled function; null for constants.
task::PlaceAttr placeOf(mlir::Value value);

/// Returns the name of a result with this role. A loss may have no name of its own, a sum no role.
llvm::StringRef nameOfResult(graph::RoleAttr role);

/// Emits the instructions of one section.
class SectionEmitter {
public:
  SectionEmitter(analysis::Section &section, task::SectionOp instructions, Buffers &buffers,
                 Outliner &outliner);
  /// Emits all kernels except those that run in another section.
  mlir::LogicalResult emit();
  mlir::LogicalResult emitKernel(const analysis::Kernel &kernel);
  /// Returns, by kernel number from -1 on, the last instruction at or before that kernel; null if
  /// none.
  llvm::ArrayRef<mlir::Operation *> getLastInstructions() const { return lastInstructions; }

private:
  void emitLaunch(const analysis::Kernel &kernel);
  void emitMatmul(const analysis::Kernel &kernel);
  void emitConvolution(const analysis::Kernel &kernel);
  void emitAttention(const analysis::Kernel &kernel);
  mlir::LogicalResult emitFusedCollective(const analysis::Kernel &kernel);
  mlir::LogicalResult emitCollective(mlir::Operation *op, bool fused);
  void emitSums(int64_t kernel);
  mlir::LogicalResult emitResults();
  task::PlaceAttr placeOfParameter(graph::RoleAttr role);
  task::Accumulation accumulationOf(unsigned result);
  /// A parameter's new value and the place to which it is copied.
  struct ParameterCopy {
    mlir::Value value;
    task::PlaceAttr target;
    llvm::StringRef name;
  };
  mlir::LogicalResult emitCopies(llvm::SmallVector<ParameterCopy> copies);

  analysis::Section &section;
  Buffers &buffers;
  Outliner &outliner;
  mlir::OpBuilder b;
  llvm::DenseMap<int64_t, llvm::SmallVector<unsigned>> sumsOf; ///< by kernel: accumulated results
  llvm::SmallVector<mlir::Operation *> lastInstructions;
};

/// Emits which parameters, inputs and results of the sections lie in which buffers, and the
/// metrics.
void emitBoundary(mlir::ModuleOp module, task::ProgramOp program,
                  llvm::MutableArrayRef<analysis::Section> sections, const HoistedKernels &hoisted,
                  Buffers &buffers);

// Lists the bytes that an instruction reads and writes, which determine the order of instructions.

/// A part of a memory space, or of each entry of a ring buffer there.
struct ByteRange {
  task::Space space = task::Space::Temporary;
  int64_t begin = 0, end = 0;    ///< of the first ring entry
  int64_t depth = 1, stride = 0; ///< depth and stride of the ring

  /// Returns whether the range for ring number `own` overlaps that of `other` for `theirs`. A ring
  /// number selects the entry of its value modulo the depth.
  bool overlaps(int64_t own, const ByteRange &other, int64_t theirs) const;
  /// Returns whether the ranges overlap for some ring numbers.
  bool mayOverlap(const ByteRange &other) const;
};

/// Access of an instruction to one of its buffers.
struct InstructionAccess {
  ByteRange range;
  bool reads = false, writes = false;
};

/// Returns the accesses of an instruction. A kernel without `accesses` may read and write all its
/// buffers.
llvm::SmallVector<InstructionAccess> accessesOf(mlir::Operation *instruction);

/// Orders instructions of different streams by events.
void assignEvents(task::ProgramOp program);

/// Emits the instruction of a collective of the dist dialect; fails with a diagnostic if there is
/// none. `fused`: the instruction joins the one before it in a fused collective.
mlir::LogicalResult emitCollectiveInstruction(mlir::OpBuilder &b, mlir::Operation *op,
                                              mlir::Value source, mlir::Value destination,
                                              bool fused);

} // namespace pcc::lower
