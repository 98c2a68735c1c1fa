// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a model layer by layer. The name of a layer extends the name of its module, as in the
// training programs from which such models come: parameters are `h.0.attn.q.weight`, ops
// `/h.0/attn/q/matmul`. Constraints written for ONNX exports of the same family therefore
// match.
#pragma once

#include "dialects/graph/decompose/DecompositionBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::example {

using Shape = llvm::SmallVector<int64_t>;

/// Returns the shape of a tensor value.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

class Network {
public:
  /// Creates an empty `@forward` in a new module, with parameters and layers of this type.
  explicit Network(mlir::FloatType type);

  /// Prefixes the names of layers built during the lifetime of this object with `name`.
  class Scope {
  public:
    Scope(Network &network, const llvm::Twine &name)
        : network(network), outer(network.path.size()) {
      network.path.push_back(name.str());
    }
    ~Scope() { network.path.resize(outer); }
    Scope(const Scope &) = delete;

  private:
    Network &network;
    size_t outer;
  };

  /// Adds an input.
  mlir::Value input(llvm::StringRef name, mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// Adds an input of f32 and casts it to the model's type.
  mlir::Value data(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  mlir::Type floats() { return type; }
  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }

  /// Adds a parameter, whose name begins with the current scope. Its initial values are normally
  /// distributed with this standard deviation, or ones, or zeros.
  mlir::Value normal(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, double deviation);
  mlir::Value ones(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  mlir::Value zeros(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  /// Adds a parameter that is not trained, such as a running statistic, initially zeros or ones.
  mlir::Value statistic(llvm::StringRef name, int64_t size, bool isOne);

  /// Creates an op, whose name begins with the current scope. `make` returns its first result.
  template <typename OpT, typename... Args> mlir::Value make(Args &&...args) {
    return makeOp<OpT>(std::forward<Args>(args)...)->getResult(0);
  }
  template <typename OpT, typename... Args> OpT makeOp(Args &&...args) {
    builder.setLoc(nameOp(OpT::getOperationName()));
    return OpT::create(builder, std::forward<Args>(args)...);
  }

  /// Casts `x` to elements of this type.
  mlir::Value cast(mlir::Value x, mlir::Type element);

  // Data movement.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  /// Broadcasts `x`: its dimension i becomes dimension `dims[i]` of `shape`.
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t start, int64_t size);

  // Layers, each in a scope of its own.
  /// Maps [rows, in] to [rows, out], or [batch, sequence, in] to [batch, sequence, out]. The weight
  /// is [out, in]; the op is named `matmul`, also if it is an einsum.
  mlir::Value linear(llvm::StringRef name, mlir::Value x, int64_t out, bool hasBias = true);
  /// Same as `linear` without a bias, with the weight of another layer.
  mlir::Value tiedLinear(llvm::StringRef name, mlir::Value x, mlir::Value weight);
  /// Normalizes over the last dimension.
  mlir::Value layerNorm(llvm::StringRef name, mlir::Value x);
  /// Looks up rows of a table; `indices` may have any shape.
  mlir::Value embedding(llvm::StringRef name, mlir::Value indices, int64_t rows, int64_t width);

  /// Ends the model with the result `output`, cast to f32 and named `name`. Call it once, at last.
  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::Value output, llvm::StringRef name);

private:
  /// Returns x weightᵀ for a matrix, or for a batch of matrices.
  mlir::Value multiply(mlir::Value x, mlir::Value weight);
  mlir::Value parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, graph::InitKind kind,
                        llvm::ArrayRef<double> arguments, bool isTrained = true);
  mlir::Value argument(mlir::Type type, graph::RoleKind kind, llvm::StringRef name);
  mlir::Location nameOp(llvm::StringRef opName);

  mlir::FloatType type;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp forward;
  graph::DecompositionBuilder builder;
  llvm::SmallVector<mlir::DictionaryAttr> roles; ///< of the arguments
  std::vector<std::string> path;
  llvm::StringMap<int> timesUsed; ///< uses of each op name so far
};

} // namespace pcc::example
