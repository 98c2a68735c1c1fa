// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// toleranceOf evaluates the formula of the header element by element. Comparisons report the
// element with the largest difference. Infinite and NaN elements do not widen a tolerance.
#include "compiler/interpret/compare/Compare.h"

#include "compiler/interpret/compare/Bounds.h"
#include "compiler/values/Map.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "runtime/abi/CompareNumbers.h"
#include "runtime/abi/Random.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;

namespace pcc::interpret {
namespace {

constexpr double doubleEpsilon = 0x1p-52;

llvm::StringRef stringify(CaseStatus status) {
  switch (status) {
  case CaseStatus::Passed:
    return "passed";
  case CaseStatus::Failed:
    return "failed";
  case CaseStatus::Skipped:
    return "skipped";
  }
  llvm_unreachable("every status is listed");
}

/// Returns the distance of two elements. Integers that differ have a distance of at least 1, also
/// if they are the same as doubles.
double elementDistance(const Tensor &x, const Tensor &y, int64_t n) {
  double difference = abi::distanceOf(x.asDouble(n), y.asDouble(n));
  return x.isFloat() || x[n].i == y[n].i ? difference : std::max(difference, 1.0);
}

/// Returns the greatest distance of finite elements.
double greatestDistance(const Tensor &x, const Tensor &y) {
  double greatest = 0.0;
  for (int64_t n = 0; n < x.size(); ++n)
    if (double d = abi::distanceOf(x[n].f, y[n].f); std::isfinite(d))
      greatest = std::max(greatest, d);
  return greatest;
}

double greatestMagnitude(const Tensor &x) {
  return greatestDistance(x, Tensor(x.getType(), x.getShape()));
}

/// Returns the index of element number `flat` as text, such as `[2, 0, 5]`.
std::string indexText(int64_t flat, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; flat /= shape[dim])
    index[dim] = flat % shape[dim];
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(index, os);
  os << "]";
  return text;
}

/// Returns the product of the sizes of the factors that an op reduces.
int64_t reducedSize(Operation *op) {
  auto ruled = dyn_cast<FactorRuleOpInterface>(op);
  if (!ruled)
    return 1;
  FactorRule rule = ruled.getFactorRule(); // outlives the references to its factors
  int64_t size = 1;
  for (const Factor &factor : rule.getFactors())
    if (factor.kind == FactorKind::Reduce)
      size *= factor.size;
  return size;
}

} // namespace

int64_t Report::count(CaseStatus status) const {
  return llvm::count_if(cases, [status](const Case &c) { return c.status == status; });
}

void Report::append(Report other) {
  cases.insert(cases.end(), std::make_move_iterator(other.cases.begin()),
               std::make_move_iterator(other.cases.end()));
}

void Report::print(llvm::raw_ostream &os, bool all) const {
  for (const Case &c : cases) {
    if (c.status == CaseStatus::Passed && !all)
      continue;
    os << stringify(c.status) << ": " << c.name;
    if (!c.reason.empty())
      os << ": " << c.reason;
    else
      os << llvm::format(" (error %.3g of %.3g)", c.maxError, c.tolerance);
    os << "\n";
  }
  os << "verify: " << count(CaseStatus::Passed) << " passed, " << count(CaseStatus::Failed)
     << " failed, " << count(CaseStatus::Skipped) << " skipped\n";
}

llvm::json::Value Report::toJson() const {
  llvm::json::Array list;
  for (const Case &c : cases) {
    llvm::json::Object entry{{"name", c.name},
                             {"status", stringify(c.status)},
                             {"reason", c.reason},
                             {"tolerance", c.tolerance}};
    // JSON has no infinity, so an infinite difference is omitted.
    if (std::isfinite(c.maxError))
      entry["max_error"] = c.maxError;
    list.push_back(std::move(entry));
  }
  return llvm::json::Object{{"passed", count(CaseStatus::Passed)},
                            {"failed", count(CaseStatus::Failed)},
                            {"skipped", count(CaseStatus::Skipped)},
                            {"cases", std::move(list)}};
}

double compiledFactor(ModuleOp module) {
  int64_t longest = 1;
  module.walk([&](Operation *op) { longest = std::max(longest, reducedSize(op)); });
  return interpretedFactor * std::sqrt(static_cast<double>(longest));
}

Tensor perturb(const Tensor &value, uint64_t seed, Direction direction) {
  if (!value.isFloat())
    return value;
  double units = direction == Direction::Plus ? interpretedFactor : -interpretedFactor;
  return generate(value.getType(), value.getShape(), [&](int64_t n) {
    bool isUp = abi::randomBits(seed, /*stream=*/0, n) & 1;
    double step = units * epsilon(value.getType()) * std::fabs(value[n].f);
    return Element{.f = isUp ? value[n].f + step : value[n].f - step};
  });
}

NamedTensors perturb(const NamedTensors &values, uint64_t seed, Direction direction) {
  NamedTensors perturbed;
  for (const auto &[key, value] : values)
    perturbed[key] = perturb(value, seed ^ abi::streamOf(key), direction);
  return perturbed;
}

double toleranceOf(const Tensor &value, const Tensor &doubles, const Moved<const Tensor *> &moved,
                   double factor, Precision precision) {
  if (!value.isFloat())
    return 0.0;
  double unit = epsilon(value.getType()), greatest = greatestMagnitude(doubles);
  double rounded = std::max(greatestDistance(value, doubles), unit * greatest);
  // A sum moves in both runs, since its terms move; its rounding error grows with its length. Sums
  // are added in f32 whatever their type. A value that moves in only one run has crossed a kink,
  // and the length of a sum does not widen this jump.
  double anyMove = 0, bothMoves = 0;
  for (int64_t n = 0; n < doubles.size(); ++n) {
    double there = abi::distanceOf((*moved.there)[n].f, (*moved.steady)[n].f);
    double back = abi::distanceOf((*moved.back)[n].f, (*moved.steady)[n].f);
    if (!std::isfinite(there) || !std::isfinite(back))
      continue;
    anyMove = std::max({anyMove, there, back});
    bothMoves = std::max(bothMoves, std::min(there, back));
  }
  double accumulation = std::min(1.0, epsilon(ElementType::F32) / unit);
  double summed = accumulation * std::max(rounded, bothMoves / interpretedFactor);
  double tolerance = std::max({interpretedFactor * rounded, factor * summed, anyMove});
  return tolerance * (precision == Precision::Double ? doubleEpsilon / unit : 1.0);
}

Case compareTensors(std::string name, const Tensor &expected, const Tensor &actual,
                    double tolerance, bool mayBeNaN) {
  Case result{std::move(name), CaseStatus::Passed, "", 0.0, tolerance};
  if (expected.typeString() != actual.typeString()) {
    result.status = CaseStatus::Failed;
    result.reason = "expected " + expected.typeString() + ", got " + actual.typeString();
    return result;
  }
  int64_t worst = 0;
  for (int64_t n = 0; n < expected.size(); ++n)
    if (!mayBeNaN && expected.isFloat() && std::isnan(expected[n].f)) {
      result.status = CaseStatus::Failed;
      result.reason = "element " + indexText(n, expected.getShape()) +
                      " of the reference is not a number, so it says nothing about the other "
                      "program";
      return result;
    } else if (double d = elementDistance(expected, actual, n); d > result.maxError) {
      result.maxError = d;
      worst = n;
    }
  if (result.maxError <= tolerance)
    return result;
  result.status = CaseStatus::Failed;
  llvm::raw_string_ostream os(result.reason);
  os << "element " << indexText(worst, expected.getShape())
     << llvm::format(": expected %.9g, got %.9g (error %.3g, tolerance %.3g)",
                     expected.asDouble(worst), actual.asDouble(worst), result.maxError, tolerance);
  return result;
}

Report skipNamed(llvm::StringRef prefix, NamedTensors &values, const std::set<std::string> &keys,
                 llvm::StringRef reason) {
  Report report;
  for (const std::string &key : keys)
    if (values.erase(key))
      report.cases.push_back({(prefix + key).str(), CaseStatus::Skipped, reason.str()});
  return report;
}

Bounds boundsOf(const Reference &expected, double factor, Precision precision) {
  Bounds bounds;
  for (const auto &[key, value] : expected.values) {
    const Tensor &doubles = expected.doubles.at(key);
    double tolerance = toleranceOf(value, doubles,
                                   {&expected.moved.steady.at(key), &expected.moved.there.at(key),
                                    &expected.moved.back.at(key)},
                                   factor, precision);
    bounds[key] = {precision == Precision::Double ? doubles : value, tolerance};
  }
  return bounds;
}

Report compareNamed(llvm::StringRef prefix, const Reference &expected, const NamedTensors &actual,
                    double factor, Precision precision) {
  Report report;
  for (const auto &[key, bound] : boundsOf(expected, factor, precision)) {
    std::string name = prefix.str() + key;
    if (auto found = actual.find(key); found != actual.end())
      report.cases.push_back(
          compareTensors(name, bound.value, found->second, bound.tolerance, expected.mayBeNaN));
    else
      report.cases.push_back({name, CaseStatus::Failed, "the second program has no such value"});
  }
  return report;
}

} // namespace pcc::interpret
