// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/RandomGraph.h"

#include <random>
#include <vector>

namespace pcc::test {

namespace {
struct Value {
  std::string name;
  int64_t rows, columns; ///< rows 0: a vector of `columns`; columns 0: a vector of `rows`
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {
    static constexpr int64_t sizes[] = {1, 2, 3, 7, 10, 16, 33, 64, 130};
    rows = sizes[random() % 9];
    columns = sizes[random() % 9];
    element = random() % 8 == 0 ? "bf16" : random() % 7 == 0 ? "f16" : "f32";
  }
  std::string generate(const std::string &name);

private:
  std::string type(int64_t r, int64_t c) const {
    std::string dims;
    for (int64_t size : {r, c})
      if (size > 0)
        dims += std::to_string(size) + "x";
    return "tensor<" + dims + element + ">";
  }
  std::string type(const Value &v) const { return type(v.rows, v.columns); }
  std::string fresh() { return "%" + std::to_string(count++); }
  const Value &pick(std::vector<Value> &from) { return from[random() % from.size()]; }
  Value &emit(std::vector<Value> &to, std::string text, int64_t r, int64_t c) {
    Value value{fresh(), r, c};
    body += "  " + value.name + " = " + text + "\n";
    to.push_back(value);
    return to.back();
  }
  void addUnary();
  void addBinary();
  void addReduction();
  void addSpread();
  void addShape();

  std::mt19937_64 random;
  int64_t rows, columns;
  std::string element, body;
  int count = 0;
  std::vector<Value> full, ofRows, ofColumns;
};
} // namespace

void Generator::addUnary() {
  static const char *ops[] = {"neg",  "abs",    "tanh",     "sigmoid", "relu",
                              "silu", "square", "softplus", "erf",     "sin"};
  Value x = pick(full);
  emit(full, std::string("graph.") + ops[random() % 10] + " " + x.name + " : " + type(x), rows,
       columns);
}

void Generator::addBinary() {
  static const char *ops[] = {"add", "sub", "mul", "max", "min"};
  Value x = pick(full), y = pick(full);
  if (random() % 4) {
    emit(full,
         std::string("graph.") + ops[random() % 5] + " " + x.name + ", " + y.name + " : " + type(x),
         rows, columns);
    return;
  }
  std::string mask = fresh();
  body += "  " + mask + " = graph.compare gt " + x.name + ", " + y.name + " : " + type(x) + "\n";
  emit(full, "graph.select " + mask + ", " + x.name + ", " + y.name + " : " + type(x), rows,
       columns);
}

/// Adds a reduction. Sums of many terms grow, so means are used: they keep all values near one.
void Generator::addReduction() {
  Value x = pick(full);
  const char *kind = random() % 2 ? "mean" : "max";
  bool alongRows = random() % 2;
  std::string text = std::string("graph.reduce ") + kind + " " + x.name + ", [" +
                     (alongRows ? "1" : "0") + "] : " + type(x);
  if (alongRows)
    emit(ofRows, text, rows, 0);
  else
    emit(ofColumns, text, 0, columns);
}

void Generator::addSpread() {
  bool fromRows = random() % 2;
  std::vector<Value> &from = fromRows ? ofRows : ofColumns;
  if (from.empty())
    return;
  Value x = pick(from);
  emit(full,
       "graph.broadcast " + x.name + ", [" + (fromRows ? "0" : "1") + "] : " + type(x) + " to " +
           type(rows, columns),
       rows, columns);
}

void Generator::addShape() {
  Value x = pick(full);
  std::string transposed = fresh(), negated = fresh();
  body += "  " + transposed + " = graph.transpose " + x.name + ", [1, 0] : " + type(x) + "\n";
  body += "  " + negated + " = graph.tanh " + transposed + " : " + type(columns, rows) + "\n";
  if (random() % 2) {
    emit(full, "graph.transpose " + negated + ", [1, 0] : " + type(columns, rows), rows, columns);
    return;
  }
  emit(full,
       "graph.reshape " + negated + " : " + type(columns, rows) + " to " + type(rows, columns),
       rows, columns);
}

std::string Generator::generate(const std::string &name) {
  std::string arguments;
  for (int i = 0; i < 3; ++i) {
    Value value{"%a" + std::to_string(i), i < 2 ? rows : 0, columns};
    (i < 2 ? full : ofColumns).push_back(value);
    arguments += (i ? ", " : "") + value.name + ": " + type(value) +
                 " {graph.role = #graph.role<input \"" + name + ".a" + std::to_string(i) + "\">}";
  }
  for (int step = 0, steps = 4 + random() % 14; step < steps; ++step)
    switch (random() % 8) {
    case 0:
    case 1:
      addUnary();
      break;
    case 2:
    case 3:
      addBinary();
      break;
    case 4:
      addReduction();
      break;
    case 5:
    case 6:
      addSpread();
      break;
    default:
      addShape();
    }
  std::vector<Value> results{full.back(), pick(full)};
  for (const std::vector<Value> *side : {&ofRows, &ofColumns})
    if (!side->empty())
      results.push_back(side->back());
  std::string values, types, roles;
  for (size_t i = 0; i < results.size(); ++i) {
    const char *separator = i ? ", " : "";
    values += separator + results[i].name;
    types += separator + type(results[i]);
    roles += separator + type(results[i]) + " {graph.role = #graph.role<output \"y" +
             std::to_string(i) + "\">}";
  }
  return "func.func @" + name + "(" + arguments + ") -> (" + roles + ") {\n" + body + "  return " +
         values + " : " + types + "\n}\n";
}

std::string randomFunction(const std::string &name, uint64_t seed) {
  return Generator(seed).generate(name);
}

} // namespace pcc::test
