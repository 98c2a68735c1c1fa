// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a model layer by layer. Every layer has a name below that of its module, as in the
// training programs that such models come from: parameters are `h.0.attn.q.weight`, ops
// `/h.0/attn/q/matmul`, so that pins for exports of the same family fit.
#pragma once

#include "dialects/graph/PieceBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::example {

using Shape = llvm::SmallVector<int64_t>;

/// The shape of a tensor value.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

class Network {
public:
  /// An empty `@forward` in a module of its own, whose parameters and layers are of this type.
  explicit Network(mlir::FloatType type);

  /// Layers until the end of this object's life are named below `name`.
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

  mlir::Value input(llvm::StringRef name, mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// An input of f32, as data are, in the model's type.
  mlir::Value data(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  mlir::Type floats() { return type; }
  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }

  /// A parameter of the current scope, at first from the normal distribution with this standard
  /// deviation, or `ones` or zeros.
  mlir::Value normal(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, double deviation);
  mlir::Value ones(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  mlir::Value zeros(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  /// The same, which is not trained: a running statistic.
  mlir::Value statistic(llvm::StringRef name, int64_t size, bool isOne);

  /// An op of the current scope.
  template <typename OpT, typename... Args> mlir::Value make(Args &&...args) {
    return makeAll<OpT>(std::forward<Args>(args)...)->getResult(0);
  }
  template <typename OpT, typename... Args> OpT makeAll(Args &&...args) {
    builder.setLoc(nameOp(OpT::getOperationName()));
    return OpT::create(builder, std::forward<Args>(args)...);
  }

  /// `x` with elements of this type.
  mlir::Value cast(mlir::Value x, mlir::Type element);

  // Movement.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  /// `x`, whose dimensions become `dims` of `shape`.
  mlir::Value repeat(mlir::Value x, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t start, int64_t size);

  // Layers, each a module of its own.
  /// [rows, in] to [rows, out], or [batch, sequence, in] to [batch, sequence, out]; the weight is
  /// [out, in], the product called `matmul`.
  mlir::Value linear(llvm::StringRef name, mlir::Value x, int64_t out, bool hasBias = true);
  /// The same without a bias, with the weight of another layer.
  mlir::Value tiedLinear(llvm::StringRef name, mlir::Value x, mlir::Value weight);
  /// Over the last dimension.
  mlir::Value layerNorm(llvm::StringRef name, mlir::Value x);
  /// Rows of a table for numbers of any shape.
  mlir::Value embedding(llvm::StringRef name, mlir::Value numbers, int64_t rows, int64_t width);

  /// Ends the model, whose result is `output`, in f32, and called `name`.
  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::Value output, llvm::StringRef name);

private:
  /// x weightᵀ of rows, or of rows of a batch.
  mlir::Value multiply(mlir::Value x, mlir::Value weight);
  mlir::Value parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, graph::InitKind kind,
                        llvm::ArrayRef<double> arguments, bool isTrained = true);
  mlir::Value argument(mlir::Type type, graph::RoleKind kind, llvm::StringRef name);
  mlir::Location nameOp(llvm::StringRef opName);

  mlir::FloatType type;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp forward;
  graph::PieceBuilder builder;
  llvm::SmallVector<mlir::DictionaryAttr> roles; ///< of the arguments
  std::vector<std::string> path;
  llvm::StringMap<int> timesUsed; ///< names of ops that are taken
};

} // namespace pcc::example
