// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Maker.h"

#include "compiler/import/operators/Operators.h"
#include "test/fuzz/onnx/Evaluate.h"
#include "test/fuzz/onnx/Exclusions.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using pcc::values::Element;
using pcc::values::Tensor;

namespace pcc::fuzz {
namespace {

/// Maximum elements of a node's input, and of a node's result.
constexpr int64_t maxInput = 4096, maxResult = 16384;

bool isFinite(const Tensor &tensor) {
  for (int64_t n = 0; tensor.isFloat() && n < tensor.size(); ++n)
    if (!std::isfinite(tensor[n].f))
      return false;
  return true;
}

/// Returns the relative frequency of a type among the types of an operator.
int64_t weightOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return 12;
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I64:
  case ElementType::I32:
    return 2;
  default:
    return 1;
  }
}

} // namespace

bool Domain::accepts(const Value &value) const {
  const Tensor &data = value.data;
  if (isExact && !value.isExact)
    return false;
  for (int64_t n = 0; n < data.size(); ++n) {
    double number = data.asDouble(n);
    if (std::isnan(number)   ? !hasNaN
        : std::isinf(number) ? !hasSpecials
                             : number < low || number > high || std::fabs(number) < apart)
      return false;
  }
  return true;
}

Maker::Maker(uint64_t seed, int64_t opset, mlir::MLIRContext &context)
    : random(seed), context(context), likesSpecials(random.chance(20)) {
  graph.seed = seed;
  graph.opset = opset;
  graph.hasSymbolicDims = random.chance(10);
}

void Maker::begin(llvm::StringRef op) { schema = findSchema(op, graph.opset); }

Types Maker::types() const {
  Types list = schema->listTypes();
  llvm::erase_if(list, [&](ElementType type) { return isRefused(schema->name, type); });
  return list;
}

Types Maker::types(std::initializer_list<ElementType> wanted) const {
  Types list = types();
  llvm::erase_if(list, [&](ElementType type) { return !llvm::is_contained(wanted, type); });
  return list;
}

std::string Maker::nextName(llvm::StringRef prefix) {
  return prefix.str() + std::to_string(names++);
}

//===------------------------------------------------------------------------------------------===//
// Elements and shapes
//===------------------------------------------------------------------------------------------===//

Tensor Maker::draw(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain) {
  bool isFloat = values::isFloat(type), isGrid = random.chance(30);
  double most = isFloat ? 2.5 : 7;
  double low = std::max(domain.low, std::min(domain.high - 2 * most, -most));
  double high = std::min(domain.high, std::max(domain.low + 2 * most, most));
  int64_t size = values::sizeOf(shape);
  std::vector<double> numbers;
  while (static_cast<int64_t>(numbers.size()) < size) {
    double number = random.uniform(low, high);
    if (isFloat && isGrid)
      number = std::clamp(std::round(number * 4) / 4, low, high); // makes ties
    if (!isFloat)
      number = static_cast<double>(random.between(std::ceil(low), std::floor(high)));
    if (std::fabs(number) >= domain.apart)
      numbers.push_back(number);
  }
  if (isFloat && likesSpecials && size > 0)
    for (int64_t count = random.between(0, 3); count > 0; --count) {
      double &number = numbers[random.below(size)];
      if (domain.hasSpecials)
        number = random.of({0.0, -0.0, HUGE_VAL, -HUGE_VAL, domain.hasNaN ? NAN : 0.0});
      else if (domain.low <= 0 && domain.high >= 0 && domain.apart == 0)
        number = random.of({0.0, -0.0});
    }
  if (isFloat)
    return Tensor::floats(type, shape, numbers);
  std::vector<int64_t> integers;
  for (double number : numbers)
    integers.push_back(type == ElementType::I1 ? random.below(2) : static_cast<int64_t>(number));
  return Tensor::integers(type, shape, integers);
}

int64_t Maker::size() {
  if (random.chance(6))
    return random.of<int64_t>({16, 17, 33, 64, 65});
  return random.chance(40) ? random.of<int64_t>({1, 2, 4, 8}) : random.between(1, 9);
}

Shape Maker::shape(int64_t minRank, int64_t maxRank) {
  Shape shape;
  int64_t elements = 1;
  for (int64_t rank = random.between(minRank, maxRank); rank > 0; --rank) {
    shape.push_back(size());
    if (elements * shape.back() > maxInput / 2)
      shape.back() = random.between(1, 2);
    elements *= shape.back();
  }
  return shape;
}

Shape Maker::partnerShape(llvm::ArrayRef<int64_t> shape, bool isOneWay) {
  Shape partner(shape);
  for (int64_t &size : partner)
    if (random.chance(25))
      size = size == 1 && !isOneWay ? random.between(1, 4) : 1;
  if (random.chance(30))
    partner.erase(partner.begin(), partner.begin() + random.between(0, partner.size()));
  else if (!isOneWay && random.chance(10) && partner.size() < 4)
    partner.insert(partner.begin(), random.between(1, 3));
  return partner;
}

int64_t Maker::written(int64_t axis, int64_t rank) {
  constexpr int64_t firstOpset = 11; // the first opset in which all operators accept negative axes
  return opset() >= firstOpset && random.chance(40) ? axis - rank : axis;
}

Shape Maker::axes(int64_t rank, int64_t minCount) {
  Shape all;
  for (int64_t axis = 0; axis < rank; ++axis)
    all.push_back(axis);
  random.shuffle(all);
  all.resize(random.between(std::min(minCount, rank), rank));
  llvm::sort(all);
  return all;
}

//===------------------------------------------------------------------------------------------===//
// Inputs
//===------------------------------------------------------------------------------------------===//

const Value &Maker::leaf(Tensor data) {
  const Schema *constant = findSchema("Constant", graph.opset);
  bool hasConstant = constant && llvm::is_contained(constant->listTypes(), data.getType());
  if (hasConstant && random.chance(15))
    return addConstantNode(std::move(data));
  Origin origin = random.chance(60) ? Origin::Input : Origin::Initializer;
  bool isKnown = origin == Origin::Initializer && !data.isFloat();
  std::string name = nextName(origin == Origin::Input ? "x" : "w");
  graph.values.push_back({name, origin, std::move(data), true, isKnown});
  return graph.values.back();
}

const Value &Maker::leaf(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain) {
  return leaf(draw(type, shape, domain));
}

const Value &Maker::known(Tensor data) {
  const Schema *constant = findSchema("Constant", graph.opset);
  bool hasConstant = constant && llvm::is_contained(constant->listTypes(), data.getType());
  if (hasConstant && random.chance(40))
    return addConstantNode(std::move(data));
  graph.values.push_back({nextName("w"), Origin::Initializer, std::move(data), true, true});
  return graph.values.back();
}

const Value &Maker::known(llvm::ArrayRef<int64_t> values, ElementType type, bool isScalar) {
  Shape shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(values.size()));
  return known(Tensor::integers(type, shape, values));
}

const Value &Maker::addConstantNode(Tensor data) {
  Draft draft("Constant");
  std::string name = nextName("c");
  bool hasNumbers = findSchema("Constant", graph.opset)->hasAttribute("value_int");
  bool isInteger = data.getType() == ElementType::I64, isFloat = data.getType() == ElementType::F32;
  if (hasNumbers && (isInteger || isFloat) && data.getRank() <= 1 && random.chance(50)) {
    llvm::SmallVector<int64_t> integers;
    llvm::SmallVector<double> floats;
    for (Element element : data.elements()) {
      integers.push_back(isInteger ? element.i : 0);
      floats.push_back(isFloat ? element.f : 0);
    }
    bool isList = data.getRank() == 1;
    if (isInteger)
      isList ? draft.set("value_ints", integers) : draft.set("value_int", integers[0]);
    else
      isList ? draft.set("value_floats", floats) : draft.set("value_float", floats[0]);
  } else {
    draft.set("value", toTensorProto("", data, random.chance(50)));
  }
  draft.proto.add_output(name);
  graph.nodes.push_back(draft.proto);
  graph.values.push_back({name, Origin::Result, std::move(data), true, true});
  return graph.values.back();
}

const Value &Maker::input(llvm::ArrayRef<ElementType> types, Domain domain, Fits fits,
                          llvm::function_ref<Shape()> make) {
  llvm::SmallVector<const Value *> candidates;
  for (const Value &value : graph.values)
    if (llvm::is_contained(types, value.data.getType()) && value.data.size() > 0 &&
        value.data.size() <= maxInput && fits(value.data.getShape()) && domain.accepts(value))
      candidates.push_back(&value);
  if (!candidates.empty() && random.chance(80)) {
    // Takes the later of two candidates, so that graphs become deep.
    auto count = static_cast<int64_t>(candidates.size());
    return *candidates[std::max(random.below(count), random.below(count))];
  }
  int64_t total = 0;
  for (ElementType type : types)
    total += weightOf(type);
  int64_t place = random.below(total);
  const ElementType *type = types.begin();
  while ((place -= weightOf(*type)) >= 0)
    ++type;
  return leaf(*type, make(), domain);
}

const Value &Maker::input(llvm::ArrayRef<ElementType> types, Domain domain, int64_t minRank,
                          int64_t maxRank) {
  return input(
      types, domain,
      [&](llvm::ArrayRef<int64_t> shape) {
        auto rank = static_cast<int64_t>(shape.size());
        return rank >= minRank && rank <= maxRank;
      },
      [&] { return shape(minRank, maxRank); });
}

const Value &Maker::inputOf(ElementType type, llvm::ArrayRef<int64_t> shape, Domain domain) {
  return input(
      type, domain, [&](llvm::ArrayRef<int64_t> other) { return other == shape; },
      [&] { return Shape(shape); });
}

const Value &Maker::partner(llvm::ArrayRef<ElementType> types, llvm::ArrayRef<int64_t> shape,
                            Domain domain) {
  auto fits = [&](llvm::ArrayRef<int64_t> other) {
    int64_t elements = 1;
    for (size_t back = 1; back <= std::max(shape.size(), other.size()); ++back) {
      int64_t a = back <= shape.size() ? shape[shape.size() - back] : 1;
      int64_t b = back <= other.size() ? other[other.size() - back] : 1;
      if (a != b && a != 1 && b != 1)
        return false;
      elements *= std::max(a, b);
    }
    return elements <= maxInput;
  };
  return input(types, domain, fits, [&] { return partnerShape(shape); });
}

const Value &Maker::indices(llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high,
                            bool mayBeI32) {
  Types types = {ElementType::I64};
  if (mayBeI32)
    types.push_back(ElementType::I32);
  return input(
      types, within(static_cast<double>(low), static_cast<double>(high)),
      [&](llvm::ArrayRef<int64_t> other) { return other == shape; }, [&] { return Shape(shape); });
}

//===------------------------------------------------------------------------------------------===//
// Results
//===------------------------------------------------------------------------------------------===//

/// Returns true if results are small, and finite if all inputs are finite.
bool Maker::isUsable(const Draft &draft, llvm::ArrayRef<Value> results) const {
  bool areFinite = true;
  for (const std::string &name : draft.proto.input())
    areFinite &= name.empty() || isFinite(graph.find(name)->data);
  return llvm::all_of(results, [&](const Value &result) {
    return result.data.size() <= maxResult && (!areFinite || isFinite(result.data));
  });
}

bool Maker::add(Draft &draft, int64_t outputs, bool keepsExact) {
  onnx::NodeProto &node = draft.proto;
  while (node.input_size() > 0 && node.input(node.input_size() - 1).empty() && random.chance(70))
    node.mutable_input()->RemoveLast();
  for (int64_t n = 0; n < outputs; ++n)
    node.add_output(nextName("r"));
  if (random.chance(50))
    node.set_name(node.op_type() + "_" + node.output(0));
  bool areExact = true;
  for (const std::string &name : node.input())
    areExact &= name.empty() || graph.find(name)->isExact;
  Evaluation evaluation = evaluate(graph, node, context);
  if (!evaluation.error.empty()) {
    message = node.ShortDebugString() + ": " + evaluation.error;
    graph.nodes.push_back(node);
    return false;
  }
  if (!isUsable(draft, evaluation.results))
    return false;
  for (Value &result : evaluation.results) {
    result.isExact = areExact && (keepsExact || !result.data.isFloat());
    graph.values.push_back(std::move(result));
  }
  graph.nodes.push_back(node);
  return true;
}

void Maker::finish() {
  std::set<std::string> used = graph.usedNames();
  std::set<std::string> constants;
  for (const onnx::NodeProto &node : graph.nodes)
    if (node.op_type() == "Constant")
      constants.insert(node.output(0));
  for (const Value &value : graph.values)
    if (value.origin == Origin::Result && !constants.count(value.name) &&
        (!used.count(value.name) || random.chance(20)))
      graph.outputs.push_back(value.name);
  // Drops constants that were made for a discarded node.
  llvm::erase_if(graph.nodes, [&](const onnx::NodeProto &node) {
    return node.op_type() == "Constant" && !used.count(node.output(0));
  });
}

//===------------------------------------------------------------------------------------------===//
// Draft
//===------------------------------------------------------------------------------------------===//

Draft &Draft::input(const Value &value) {
  proto.add_input(value.name);
  return *this;
}

Draft &Draft::absent() {
  proto.add_input("");
  return *this;
}

onnx::AttributeProto &Draft::attribute(llvm::StringRef name, int type) {
  onnx::AttributeProto &attribute = *proto.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(static_cast<onnx::AttributeProto::AttributeType>(type));
  return attribute;
}

Draft &Draft::set(llvm::StringRef name, int64_t value) {
  attribute(name, onnx::AttributeProto::INT).set_i(value);
  return *this;
}

Draft &Draft::set(llvm::StringRef name, double value) {
  attribute(name, onnx::AttributeProto::FLOAT).set_f(static_cast<float>(value));
  return *this;
}

Draft &Draft::set(llvm::StringRef name, llvm::StringRef value) {
  attribute(name, onnx::AttributeProto::STRING).set_s(value.str());
  return *this;
}

Draft &Draft::set(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  onnx::AttributeProto &list = attribute(name, onnx::AttributeProto::INTS);
  list.mutable_ints()->Add(values.begin(), values.end());
  return *this;
}

Draft &Draft::set(llvm::StringRef name, llvm::ArrayRef<double> values) {
  onnx::AttributeProto &list = attribute(name, onnx::AttributeProto::FLOATS);
  for (double value : values)
    list.add_floats(static_cast<float>(value));
  return *this;
}

Draft &Draft::set(llvm::StringRef name, const onnx::TensorProto &value) {
  *attribute(name, onnx::AttributeProto::TENSOR).mutable_t() = value;
  return *this;
}

} // namespace pcc::fuzz
