// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random graph that grows node by node. An operator's generator draws inputs by type, shape and
// range of elements, then attributes, and adds the node. The interpreter computes the results at
// once, so the inputs of later nodes are known: a logarithm gets positive numbers, a gather gets
// indices in range.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/onnx/Graph.h"
#include "test/fuzz/onnx/Random.h"
#include "test/fuzz/onnx/Schema.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace pcc::fuzz {

using values::ElementType;
using Shape = llvm::SmallVector<int64_t, 4>;
using Types = llvm::SmallVector<ElementType>;
using Fits = llvm::function_ref<bool(llvm::ArrayRef<int64_t>)>;

/// Elements that an input may have.
struct Domain {
  double low = -64, high = 64;
  double apart = 0;         ///< minimum magnitude
  bool isExact = false;     ///< the operator jumps: only values with the same bits everywhere
  bool hasSpecials = false; ///< accepts infinities and negative zero
  bool hasNaN = false;      ///< accepts NaN

  bool accepts(const Value &value) const;
};

/// Returns the domain of numbers in [low, high].
inline Domain within(double low, double high) { return {.low = low, .high = high}; }

/// A node whose inputs and attributes are being drawn.
class Draft {
public:
  explicit Draft(llvm::StringRef op) { proto.set_op_type(op.str()); }

  Draft &input(const Value &value);
  Draft &absent();
  Draft &set(llvm::StringRef name, int64_t value);
  Draft &set(llvm::StringRef name, int value) { return set(name, static_cast<int64_t>(value)); }
  Draft &set(llvm::StringRef name, double value);
  Draft &set(llvm::StringRef name, llvm::StringRef value);
  Draft &set(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  Draft &set(llvm::StringRef name, llvm::ArrayRef<double> values);
  Draft &set(llvm::StringRef name, const onnx::TensorProto &value);

  onnx::NodeProto proto;

private:
  onnx::AttributeProto &attribute(llvm::StringRef name, int type);
};

class Maker {
public:
  Maker(uint64_t seed, int64_t opset, mlir::MLIRContext &context);

  Random random;
  Graph graph;

  // Current operator.

  /// Begins a node of `op`; its types and attributes are those of the graph's opset.
  void begin(llvm::StringRef op);
  llvm::StringRef op() const { return schema->name; }
  int64_t opset() const { return graph.opset; }
  /// Returns the types of the operator, without types that the importer refuses (Exclusions.h).
  Types types() const;
  /// Returns the types of the operator that are in `wanted`.
  Types types(std::initializer_list<ElementType> wanted) const;
  bool has(llvm::StringRef attribute) const { return schema->hasAttribute(attribute); }
  Draft draft() const { return Draft(schema->name); }

  // Inputs.

  /// Returns a value of one of `types`: often an existing one, else a new one with the shape that
  /// `make` returns.
  const Value &input(llvm::ArrayRef<ElementType> types, Domain domain, Fits fits,
                     llvm::function_ref<Shape()> make);
  /// Returns an input with a rank in [minRank, maxRank].
  const Value &input(llvm::ArrayRef<ElementType> types, Domain domain = {}, int64_t minRank = 0,
                     int64_t maxRank = 4);
  /// Returns an input of one type and shape.
  const Value &inputOf(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain = {});
  /// Returns a value that broadcasts together with `shape`.
  const Value &partner(llvm::ArrayRef<ElementType> types, llvm::ArrayRef<int64_t> shape,
                       Domain domain = {});
  /// Returns a value of integers in [low, high], of type i64 or i32.
  const Value &indices(llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high,
                       bool mayBeI32 = true);
  /// Adds an input, initializer or constant with random elements.
  const Value &leaf(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain = {});
  /// Adds an input, initializer or constant with the elements of `data`.
  const Value &leaf(values::Tensor data);
  /// Returns a value that is known at import: a list, or one number with `isScalar`.
  const Value &known(llvm::ArrayRef<int64_t> values, ElementType type = ElementType::I64,
                     bool isScalar = false);
  const Value &known(values::Tensor data);

  // Shapes and attributes.

  int64_t size();
  Shape shape(int64_t minRank, int64_t maxRank);
  /// Draws a shape that broadcasts together with `shape`; with `isOneWay`, one that broadcasts to
  /// `shape`.
  Shape partnerShape(llvm::ArrayRef<int64_t> shape, bool isOneWay = false);
  /// Returns `axis` for an attribute; sometimes counted from the end, if the opset allows that.
  int64_t written(int64_t axis, int64_t rank);
  /// Sets an attribute if the opset has it; one that equals the default may be omitted.
  template <typename T> void maySet(Draft &draft, llvm::StringRef name, T value, T otherwise) {
    if (has(name) && (value != otherwise || random.chance(50)))
      draft.set(name, value);
  }
  /// Draws distinct dimensions of a tensor of `rank`, in order.
  Shape axes(int64_t rank, int64_t minCount = 0);
  values::Tensor draw(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain = {});

  // Results.

  /// Adds the node with `outputs` results. `keepsExact`: results have the same bits in every
  /// implementation if the inputs have. Returns false if the results are unusable. A node that the
  /// importer refuses is an error of the graph.
  bool add(Draft &draft, int64_t outputs = 1, bool keepsExact = false);
  /// Chooses the graph's outputs.
  void finish();
  const std::string &error() const { return message; }

private:
  std::string nextName(llvm::StringRef prefix);
  bool isUsable(const Draft &draft, llvm::ArrayRef<Value> results) const;
  const Value &addConstantNode(values::Tensor data);

  mlir::MLIRContext &context;
  const Schema *schema = nullptr;
  bool likesSpecials;
  int64_t names = 0;
  std::string message;
};

} // namespace pcc::fuzz
