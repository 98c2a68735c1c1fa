// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing detaches shared storage (mutableElements). Reshaping shares it, and so does rounding if
// no element changes.
#include "compiler/values/Tensor.h"

#include "runtime/abi/CompareNumbers.h"
#include <cassert>

namespace pcc::values {

int64_t sizeOf(llvm::ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t dim : shape)
    size *= dim;
  return size;
}

Tensor::Tensor(ElementType type, llvm::ArrayRef<int64_t> shape)
    : type(type), shape(shape),
      storage(std::make_shared<std::vector<Element>>(sizeOf(shape), Element{.i = 0})) {
  static_assert(sizeof(Element) == 8, "an element is 64 bits");
}

Tensor Tensor::floats(ElementType type, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<double> values) {
  Tensor result(type, shape);
  assert(result.size() == static_cast<int64_t>(values.size()));
  for (auto [element, value] : llvm::zip_equal(*result.storage, values))
    element.f = roundTo(type, value);
  return result;
}

Tensor Tensor::integers(ElementType type, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> values) {
  Tensor result(type, shape);
  assert(result.size() == static_cast<int64_t>(values.size()));
  for (auto [element, value] : llvm::zip_equal(*result.storage, values))
    element.i = wrapTo(type, value);
  return result;
}

double Tensor::asDouble(int64_t flat) const {
  return isFloat() ? (*storage)[flat].f : toDouble(type, (*storage)[flat].i);
}

llvm::MutableArrayRef<Element> Tensor::mutableElements() {
  if (storage.use_count() > 1)
    storage = std::make_shared<std::vector<Element>>(*storage);
  return *storage;
}

Tensor Tensor::reshaped(llvm::ArrayRef<int64_t> newShape) const {
  assert(sizeOf(newShape) == size());
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

Tensor Tensor::rounded(Precision precision) const {
  if (isFloat() && precision != Precision::Element)
    return *this;
  // Most ops move elements or return representable elements; the storage then stays shared.
  auto roundedElement = [this](Element element) {
    return isFloat() ? Element{.f = roundTo(type, element.f)}
                     : Element{.i = wrapTo(type, element.i)};
  };
  auto isRounded = [&](Element element) {
    Element to = roundedElement(element);
    return isFloat() ? abi::isSameNumber(to.f, element.f) : to.i == element.i;
  };
  if (llvm::all_of(*storage, isRounded))
    return *this;
  Tensor result = *this;
  for (Element &element : result.mutableElements())
    element = roundedElement(element);
  return result;
}

bool Tensor::identical(const Tensor &other) const {
  if (type != other.type || getShape() != other.getShape() || hasValue() != other.hasValue())
    return false;
  if (storage == other.storage)
    return true;
  return llvm::all_of(llvm::zip_equal(*storage, *other.storage), [this](auto pair) {
    auto [a, b] = pair;
    return a.i == b.i || (isFloat() && abi::isSameNumber(a.f, b.f));
  });
}

std::string Tensor::typeString() const {
  std::string text;
  for (int64_t dim : shape)
    text += std::to_string(dim) + "x";
  return text + values::stringify(type).str();
}

} // namespace pcc::values
