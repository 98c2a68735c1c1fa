// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the cases of OpCases.h, one function for each family.
#pragma once

#include <string>
#include <vector>

namespace pcc::test {

class Cases {
public:
  explicit Cases(std::string name) : name(std::move(name)) {}

  /// Adds a function of `arguments` that applies `op` to %a0, %a1, … and returns `result`. Ops that
  /// prepare its operands are in `before`.
  void add(const std::vector<std::string> &arguments, const std::string &op,
           const std::string &result, const std::string &before = "") {
    add(arguments, before + "  %y = " + op + "\n", {{"%y", result}});
  }
  /// Adds a function of %a0, %a1, … that returns values of `body`, pairs of name and type.
  void add(const std::vector<std::string> &arguments, const std::string &body,
           const std::vector<std::pair<std::string, std::string>> &results) {
    std::string function = name + std::to_string(functions.size()), inputs, outputs, values, types;
    for (size_t i = 0; i < arguments.size(); ++i)
      inputs += (i ? ", %a" : "%a") + std::to_string(i) + ": " + arguments[i] +
                " {graph.role = #graph.role<input \"" + function + ".a" + std::to_string(i) +
                "\">}";
    for (auto &[value, type] : results) {
      std::string comma = values.empty() ? "" : ", ";
      outputs += comma + type + " {graph.role = #graph.role<output \"" + value.substr(1) + "\">}";
      values += comma + value;
      types += comma + type;
    }
    functions.push_back("func.func @" + function + "(" + inputs + ") -> (" + outputs + ") {\n" +
                        body + "  return " + values + " : " + types + "\n}\n");
  }
  std::vector<std::string> functions;

private:
  std::string name;
};
/// Element types of kernels, the floats among them, and those that instructions multiply.
inline const std::vector<std::string> numbers = {"f32", "f16", "bf16", "f64",  "i64",  "i32",
                                                 "i16", "i8",  "ui64", "ui32", "ui16", "ui8"};
inline const std::vector<std::string> floats = {"f32", "f16", "bf16", "f64"};
inline const std::vector<std::string> multiplied = {"f32", "f16", "bf16"};

void addAlongAxis(Cases &cases);   // OpCasesAlongAxis.cpp
void addAttention(Cases &cases);   // OpCasesAttention.cpp
void addIntegers(Cases &cases);    // OpCasesIntegers.cpp
void addNormalForms(Cases &cases); // OpCasesNormal.cpp
void addWindows(Cases &cases);     // OpCasesWindow.cpp

} // namespace pcc::test
