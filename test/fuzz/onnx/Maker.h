// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random graph that grows node by node. An operator's generator draws inputs by type, shape and
// range of elements, then attributes, and adds the node. The interpreter computes its results at
// once, so what later nodes read is known: a logarithm finds positive numbers, a gather indices in
// range.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/onnx/Graph.h"
#include "test/fuzz/onnx/Random.h"
#include "test/fuzz/onnx/Schema.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace pcc::fuzz {

using interpret::ElementType;
using Shape = llvm::SmallVector<int64_t, 4>;
using Types = llvm::SmallVector<ElementType>;
using Fits = llvm::function_ref<bool(llvm::ArrayRef<int64_t>)>;

/// The elements that an input may have.
struct Domain {
  double low = -64, high = 64;
  double apart = 0;         ///< the least magnitude
  bool isExact = false;     ///< the operator jumps: only values that have the same bits everywhere
  bool hasSpecials = false; ///< infinities and negative zero are welcome as well
  bool hasNaN = false;      ///< NaN is welcome, too

  bool accepts(const Value &value) const;
};

/// Numbers in [low, high].
inline Domain within(double low, double high) { return {.low = low, .high = high}; }

/// One node while its inputs and attributes are drawn.
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

  // The operator that is drawn.

  /// Begins a node of `op`; its types and attributes are those of the graph's opset.
  void begin(llvm::StringRef op);
  llvm::StringRef op() const { return schema->name; }
  int64_t opset() const { return graph.opset; }
  /// The types of the operator, without those that the importer refuses (Exclusions.h).
  Types types() const;
  /// `types()` as far as `wanted` has them.
  Types types(std::initializer_list<ElementType> wanted) const;
  bool has(llvm::StringRef attribute) const { return schema->hasAttribute(attribute); }
  Draft draft() const { return Draft(schema->name); }

  // Inputs.

  /// A value of one of `types`: often one that is there, else a new one of the shape that `make`
  /// gives.
  const Value &input(llvm::ArrayRef<ElementType> types, Domain domain, Fits fits,
                     llvm::function_ref<Shape()> make);
  /// The same with `rank` dimensions in [least, greatest].
  const Value &input(llvm::ArrayRef<ElementType> types, Domain domain = {}, int64_t minRank = 0,
                     int64_t maxRank = 4);
  /// The same of one type and shape.
  const Value &inputOf(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain = {});
  /// A value that broadcasts together with `shape`.
  const Value &partner(llvm::ArrayRef<ElementType> types, llvm::ArrayRef<int64_t> shape,
                       Domain domain = {});
  /// A value of integers in [low, high], of the type i64 or i32.
  const Value &indices(llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high,
                       bool mayBeI32 = true);
  /// A new input, initializer or constant with random elements.
  const Value &leaf(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain = {});
  /// The same with these elements.
  const Value &leaf(interpret::Tensor data);
  /// A value that is known at import: a list, or with `isScalar` one number.
  const Value &known(llvm::ArrayRef<int64_t> values, ElementType type = ElementType::I64,
                     bool isScalar = false);
  const Value &known(interpret::Tensor data);

  // Shapes and attributes.

  int64_t size();
  Shape shape(int64_t minRank, int64_t maxRank);
  /// A shape that broadcasts together with `shape`; with `isOneWay` to `shape`.
  Shape partnerShape(llvm::ArrayRef<int64_t> shape, bool isOneWay = false);
  /// `axis` as an attribute: counted from the end now and then, if the opset has that.
  int64_t written(int64_t axis, int64_t rank);
  /// Sets an attribute that the opset has; one that equals the default may be left out.
  template <typename T> void maySet(Draft &draft, llvm::StringRef name, T value, T otherwise) {
    if (has(name) && (value != otherwise || random.chance(50)))
      draft.set(name, value);
  }
  /// Distinct dimensions of a tensor of `rank`, in order.
  Shape axes(int64_t rank, int64_t minCount = 0);
  interpret::Tensor draw(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain = {});

  // Results.

  /// Adds the node with `outputs` results. `keepsExact`: results have the same bits everywhere if
  /// the inputs have. False if the results are of no use; a node that the importer refuses is an
  /// error of the graph.
  bool add(Draft &draft, int64_t outputs = 1, bool keepsExact = false);
  /// Chooses the graph's outputs.
  void finish();
  const std::string &error() const { return message; }

private:
  std::string nextName(llvm::StringRef prefix);
  bool isUsable(const Draft &draft, llvm::ArrayRef<Value> results) const;
  const Value &addConstantNode(interpret::Tensor data);

  mlir::MLIRContext &context;
  const Schema *schema = nullptr;
  bool likesSpecials;
  int64_t names = 0;
  std::string message;
};

} // namespace pcc::fuzz
