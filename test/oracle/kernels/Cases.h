// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the cases of OpCases.h are written, a family a function.
#pragma once

#include <string>
#include <vector>

namespace pcc::test {

class Cases {
public:
  explicit Cases(std::string name) : name(std::move(name)) {}

  /// A function of `arguments` whose body is `op` applied to %a0, %a1, …, with `result`; ops that
  /// prepare its operands stand in `before`.
  void add(const std::vector<std::string> &arguments, const std::string &op,
           const std::string &result, const std::string &before = "") {
    std::string function = name + std::to_string(functions.size()), list;
    for (size_t i = 0; i < arguments.size(); ++i)
      list += (i ? ", %a" : "%a") + std::to_string(i) + ": " + arguments[i] +
              " {graph.role = #graph.role<input \"" + function + ".a" + std::to_string(i) + "\">}";
    functions.push_back("func.func @" + function + "(" + list + ") -> (" + result +
                        " {graph.role = #graph.role<output \"y\">}) {\n" + before + "  %y = " + op +
                        "\n  return %y : " + result + "\n}\n");
  }
  std::vector<std::string> functions;

private:
  std::string name;
};
/// The types that kernels compute with, and the floats among them.
inline const std::vector<std::string> numbers = {"f32", "f16", "bf16", "i64", "i32", "i8"};
inline const std::vector<std::string> floats = {"f32", "f16", "bf16"};

void addAlongAxis(Cases &cases);   // OpCasesAlongAxis.cpp
void addAttention(Cases &cases);   // OpCasesAttention.cpp
void addNormalForms(Cases &cases); // OpCasesNormal.cpp
void addWindows(Cases &cases);     // OpCasesWindow.cpp

} // namespace pcc::test
