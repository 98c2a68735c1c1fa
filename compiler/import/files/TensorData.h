// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of tensors stored in an ONNX file or beside it.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>

namespace pcc::onnx {
class ModelProto;
class TensorProto;
} // namespace pcc::onnx

namespace pcc::import {

/// Returns the type for ONNX element type number `dataType` (TensorProto.DataType). It may be
/// narrow (NarrowTypes.h). Returns null for strings and complex numbers.
mlir::Type elementTypeOf(int32_t dataType, mlir::MLIRContext &context);

/// Row-major little-endian elements, in the model, in a mapped file, or in memory of their own.
/// Narrow elements are held in their wider type. Elements may be absent: then only the type is
/// known.
struct TensorData {
  mlir::RankedTensorType type;       ///< of the file
  llvm::ArrayRef<char> bytes;        ///< exactly the size of the holder of `type`; null if absent
  std::shared_ptr<const void> owner; ///< keeps `bytes` alive

  bool isAbsent() const { return !bytes.data() && type.getNumElements() > 0; }
  /// Returns a resource named `name` over these bytes, without a copy if they are aligned. An
  /// absent tensor gives a resource without bytes.
  mlir::ElementsAttr toResource(llvm::StringRef name) const;
};

/// Marks `tensor`, which has a type and sizes, as one whose data no file has.
void markAbsent(onnx::TensorProto &tensor);

/// Starts the error of a tensor that cannot be read; the reader appends the reason.
using ErrorStarter = llvm::function_ref<mlir::InFlightDiagnostic()>;

class TensorReader {
public:
  /// Creates a reader. `folder` is the model's folder; external data must be below it.
  TensorReader(std::shared_ptr<const onnx::ModelProto> model, llvm::StringRef folder,
               mlir::MLIRContext &context)
      : model(std::move(model)), folder(folder), context(context) {}

  /// Reads type and data of `tensor`, which must be part of the model. Sizes that overflow, data of
  /// the wrong size, and external data that leaves the folder or ends early are errors.
  std::optional<TensorData> read(const onnx::TensorProto &tensor, ErrorStarter error);

  /// Returns whether the data of `tensor` are absent: marked so, or external in a file that does
  /// not exist.
  bool isAbsent(const onnx::TensorProto &tensor);

  /// Reads the type of `tensor` only. Sizes that overflow are errors.
  std::optional<TensorData> readTypeOnly(const onnx::TensorProto &tensor, ErrorStarter error);

  mlir::MLIRContext &getContext() const { return context; }

private:
  /// A part of a file beside the model.
  struct External {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
  };
  mlir::RankedTensorType readType(const onnx::TensorProto &tensor, ErrorStarter error);
  std::optional<External> readReference(const onnx::TensorProto &tensor, ErrorStarter error);
  bool readExternal(const onnx::TensorProto &tensor, TensorData &data, uint64_t size,
                    ErrorStarter error);
  std::shared_ptr<llvm::MemoryBuffer> mapFile(llvm::StringRef location, ErrorStarter error);

  std::shared_ptr<const onnx::ModelProto> model;
  std::string folder;
  mlir::MLIRContext &context;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> mapped;
};

//===-- FilesBeneath.cpp ----------------------------------------------------------------------===//

// Files that a model names. A model comes from anywhere, so the names must not reach other files.

/// Maps the regular file `location` below `folder`. `location` is relative, and no part of it may
/// be `..` or a symbolic link, as under openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS. The
/// error of a link is `too_many_symbolic_link_levels`; that of a folder or device is
/// `not_supported`.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> mapBeneath(llvm::StringRef folder,
                                                              llvm::StringRef location);

} // namespace pcc::import
