// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators of one input.
#include "test/fuzz/onnx/Entries.h"

namespace pcc::fuzz {
namespace {

constexpr Domain anything = {.hasSpecials = true};
constexpr Domain exact = {.isExact = true};

/// Draws an operator without attributes.
Entry unary(llvm::StringLiteral name, Domain domain, bool keepsExact = false) {
  return {name, [=](Maker &m) {
            Draft draft = m.draft();
            draft.input(m.input(m.types(), domain));
            return m.add(draft, 1, keepsExact);
          }};
}

/// A numeric attribute with its default and its range.
struct NumberAttribute {
  llvm::StringLiteral name;
  double otherwise, low, high;
};

/// Draws an operator with numeric attributes, each of which may be omitted.
Entry withNumbers(llvm::StringLiteral name, Domain domain,
                  std::vector<NumberAttribute> attributes) {
  return {name, [=](Maker &m) {
            Draft draft = m.draft();
            draft.input(m.input(m.types(), domain));
            for (const NumberAttribute &attribute : attributes)
              m.maySet(draft, attribute.name,
                       m.random.chance(60) ? m.random.uniform(attribute.low, attribute.high)
                                           : attribute.otherwise,
                       attribute.otherwise);
            return m.add(draft);
          }};
}

bool drawGelu(Maker &m) {
  Draft draft = m.draft();
  draft.input(m.input(m.types()));
  llvm::StringRef form = m.random.chance(50) ? "tanh" : "none";
  m.maySet(draft, "approximate", form, llvm::StringRef("none"));
  return m.add(draft);
}

/// Up to opset 10 bounds are attributes, then inputs; each may be absent.
bool drawClip(Maker &m) {
  Draft draft = m.draft();
  Domain domain = within(-30, 30);
  domain.hasSpecials = true;
  const Value &x = m.input(m.types(), domain);
  ElementType type = x.data.getType();
  draft.input(x);
  bool hasLow = m.random.chance(70), hasHigh = m.random.chance(70);
  if (m.has("min")) {
    if (hasLow)
      draft.set("min", m.random.uniform(-2, 0));
    if (hasHigh)
      draft.set("max", m.random.uniform(0, 2));
    return m.add(draft, 1, true);
  }
  hasLow ? draft.input(m.leaf(type, {}, within(-3, 0))) : draft.absent();
  hasHigh ? draft.input(m.leaf(type, {}, within(0, 3))) : draft.absent();
  return m.add(draft, 1, true);
}

/// Sometimes draws a type that only files have: such values must be known at import.
const Value &castInput(Maker &m, ElementType to) {
  // Avoids numbers that are too large for the result or lie between two integers: their result is
  // unspecified.
  Domain domain = to == ElementType::I8 ? within(-100, 100) : within(-1000, 1000);
  domain.isExact = true;
  domain.hasSpecials = values::isFloat(to);
  ElementType type = m.random.of(
      {ElementType::F64, ElementType::I16, ElementType::UI32, ElementType::UI16, ElementType::UI8});
  if (m.random.chance(10))
    return m.known(m.draw(type, m.shape(0, 2), type == ElementType::F64 ? exact : within(0, 100)));
  return m.input(m.types(), domain);
}

bool drawCast(Maker &m) {
  Draft draft = m.draft();
  Types types = m.types();
  ElementType to = m.random.of(llvm::ArrayRef(types));
  draft.input(castInput(m, to)).set("to", static_cast<int64_t>(onnxTypeOf(to)));
  m.maySet<int64_t>(draft, "saturate", m.random.below(2), 1);
  llvm::StringRef mode = m.random.of<llvm::StringRef>({"up", "down", "nearest"});
  m.maySet(draft, "round_mode", mode, mode);
  return m.add(draft, 1, true);
}

bool drawCastLike(Maker &m) {
  Draft draft = m.draft();
  const Value &like = m.input(m.types());
  draft.input(castInput(m, like.data.getType())).input(like);
  m.maySet<int64_t>(draft, "saturate", m.random.below(2), 1);
  llvm::StringRef mode = m.random.of<llvm::StringRef>({"up", "down", "nearest"});
  m.maySet(draft, "round_mode", mode, mode);
  return m.add(draft, 1, true);
}

} // namespace

std::vector<Entry> elementwiseEntries() {
  constexpr Domain withNaN = {.hasSpecials = true, .hasNaN = true};
  constexpr Domain nonZero = {.low = -100, .high = 100, .apart = 0.2};
  return {
      unary("Abs", anything, true),
      {"Cast", drawCast},
      {"CastLike", drawCastLike},
      unary("Ceil", exact, true),
      withNumbers("Celu", {}, {{"alpha", 1.0, 0.3, 3}}),
      {"Clip", drawClip},
      unary("Cos", within(-20, 20)),
      withNumbers("Elu", {}, {{"alpha", 1.0, 0.3, 3}}),
      unary("Erf", {}),
      unary("Exp", within(-8, 6)),
      unary("Floor", exact, true),
      {"Gelu", drawGelu},
      withNumbers("HardSigmoid", {}, {{"alpha", 0.2, 0.05, 1}, {"beta", 0.5, -0.5, 1}}),
      unary("HardSwish", {}),
      unary("Identity", withNaN, true),
      unary("IsNaN", withNaN),
      withNumbers("LeakyRelu", {}, {{"alpha", 0.01, -0.5, 0.5}}),
      unary("Log", within(0.1, 1e4)),
      unary("Mish", {}),
      unary("Neg", anything, true),
      unary("Not", {}),
      unary("Reciprocal", nonZero),
      unary("Relu", anything, true),
      unary("Round", exact, true),
      withNumbers("Selu", {}, {{"alpha", 1.6732632, 0.5, 2}, {"gamma", 1.0507010, 0.5, 2}}),
      withNumbers("Shrink", exact, {{"bias", 0.0, -1, 1}, {"lambd", 0.5, 0, 2}}),
      unary("Sigmoid", {}),
      unary("Sign", exact, true),
      unary("Sin", within(-20, 20)),
      unary("Softplus", {}),
      unary("Softsign", {}),
      unary("Sqrt", within(0.01, 1e4)),
      withNumbers("Swish", {}, {{"alpha", 1.0, -2, 2}}),
      unary("Tan", within(-1.2, 1.2)),
      unary("Tanh", {}),
      withNumbers("ThresholdedRelu", exact, {{"alpha", 1.0, -1, 2}}),
  };
}

} // namespace pcc::fuzz
