// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of two or more inputs that broadcast together.
#include "test/fuzz/onnx/Entries.h"

namespace pcc::fuzz {
namespace {

/// Returns the range in which products of an integer type do not overflow.
Domain domainOf(ElementType type) { return type == ElementType::I8 ? within(-11, 11) : Domain(); }

using DomainOf = Domain (*)(ElementType);

/// Draws an operator of two inputs of one type.
Entry binary(llvm::StringLiteral name, DomainOf first, DomainOf second, bool keepsExact = false) {
  return {name, [=](Maker &m) {
            Types types = m.types();
            ElementType type = m.input(types).data.getType();
            const Value &x = m.input(type, first(type));
            const Value &y = m.partner(type, x.data.getShape(), second(type));
            Draft draft = m.draft();
            m.random.chance(50) || first != second ? draft.input(x).input(y)
                                                   : draft.input(y).input(x);
            return m.add(draft, 1, keepsExact);
          }};
}

/// Draws an operator of one to four inputs. Before opset 8 they have one shape.
Entry variadic(llvm::StringLiteral name, DomainOf domain, bool keepsExact = false) {
  return {name, [=](Maker &m) {
            constexpr int64_t firstToBroadcast = 8;
            const Value *x = &m.input(m.types(), Domain());
            ElementType type = x->data.getType();
            if (!domain(type).accepts(*x))
              x = &m.leaf(type, m.shape(0, 4), domain(type));
            Draft draft = m.draft();
            draft.input(*x);
            // All inputs fit the first one. They fit each other if their sizes are those of the
            // first or 1.
            for (int64_t count = m.random.between(0, 3); count > 0; --count) {
              Shape shape(x->data.getShape());
              if (m.opset() >= firstToBroadcast)
                shape = m.partnerShape(shape, /*isOneWay=*/true);
              draft.input(m.inputOf(type, shape, domain(type)));
            }
            return m.add(draft, 1, keepsExact);
          }};
}

/// Floats need `fmod`. A remainder jumps at the multiples of the divisor.
bool drawMod(Maker &m) {
  const Value &x = m.input(m.types(), {.isExact = true});
  ElementType type = x.data.getType();
  Domain divisors = {.low = -20, .high = 20, .apart = 0.3, .isExact = true};
  Draft draft = m.draft();
  draft.input(x).input(m.partner(type, x.data.getShape(), divisors));
  if (values::isFloat(type))
    draft.set("fmod", 1);
  else
    m.maySet<int64_t>(draft, "fmod", m.random.below(2), 0);
  return m.add(draft);
}

/// A negative base requires whole exponents. From opset 12 on the exponent has a type of its own.
bool drawPow(Maker &m) {
  constexpr int64_t firstOfOwnType = 12, firstOfBf16 = 15;
  bool isWhole = m.random.chance(30);
  Types types = m.types();
  const Value &base =
      m.input(types, isWhole ? Domain{.low = -3, .high = 3, .apart = 0.3} : within(0.2, 4));
  ElementType type = base.data.getType();
  if (m.opset() >= firstOfOwnType && m.random.chance(50))
    type = m.random.of({ElementType::F32, ElementType::F16, ElementType::I64, ElementType::I32,
                        m.opset() >= firstOfBf16 ? ElementType::BF16 : ElementType::F32});
  Draft draft = m.draft();
  draft.input(base);
  if (isWhole && values::isFloat(type)) {
    values::Tensor whole =
        m.draw(ElementType::I32, m.partnerShape(base.data.getShape()), within(-3, 3));
    std::vector<double> numbers;
    for (values::Element element : whole.elements())
      numbers.push_back(static_cast<double>(element.i));
    draft.input(m.leaf(values::Tensor::floats(type, whole.getShape(), numbers)));
  } else {
    draft.input(m.partner(type, base.data.getShape(), within(-3, 3)));
  }
  return m.add(draft);
}

bool drawPRelu(Maker &m) {
  const Value &x = m.input(m.types());
  Draft draft = m.draft();
  draft.input(x).input(
      m.inputOf(x.data.getType(), m.partnerShape(x.data.getShape(), /*isOneWay=*/true)));
  return m.add(draft);
}

bool drawWhere(Maker &m) {
  const Value &condition = m.input(ElementType::I1);
  Domain domain = {.hasSpecials = true, .hasNaN = true};
  Shape shape(condition.data.getShape());
  ElementType type = m.input(m.types()).data.getType();
  const Value &x = m.inputOf(type, m.partnerShape(shape, true), domain);
  const Value &y = m.inputOf(type, m.partnerShape(shape, true), domain);
  Draft draft = m.draft();
  draft.input(condition).input(x).input(y);
  return m.add(draft, 1, true);
}

} // namespace

std::vector<Entry> binaryEntries() {
  constexpr DomainOf plain = domainOf;
  constexpr DomainOf nonZero = [](ElementType type) {
    Domain domain = domainOf(type);
    domain.apart = 0.2;
    return domain;
  };
  constexpr DomainOf special = [](ElementType) { return Domain{.hasSpecials = true}; };
  constexpr DomainOf compared = [](ElementType) {
    return Domain{.isExact = true, .hasSpecials = true, .hasNaN = true};
  };
  constexpr DomainOf boolean = [](ElementType) { return Domain(); };
  return {
      binary("Add", plain, plain),
      binary("And", boolean, boolean),
      binary("Div", plain, nonZero),
      binary("Equal", compared, compared),
      binary("Greater", compared, compared),
      binary("GreaterOrEqual", compared, compared),
      binary("Less", compared, compared),
      binary("LessOrEqual", compared, compared),
      variadic("Max", special, true),
      variadic("Mean", plain),
      variadic("Min", special, true),
      {"Mod", drawMod},
      binary("Mul", plain, plain),
      binary("Or", boolean, boolean),
      {"PRelu", drawPRelu},
      {"Pow", drawPow},
      binary("Sub", plain, plain),
      variadic("Sum", plain),
      {"Where", drawWhere},
      binary("Xor", boolean, boolean),
  };
}

} // namespace pcc::fuzz
