// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls with the fused parts of GPU instructions: biases, gelu and its derivative by the tanh
// formula, and sums of a factor, as in training.
#include "test/oracle/kernels/Cases.h"
#include "test/oracle/kernels/OpCases.h"

namespace pcc::test {

/// Replaces every `$NAME` in a text.
static std::string fill(std::string text,
                        const std::vector<std::pair<std::string, std::string>> &by) {
  for (const auto &[name, value] : by)
    for (size_t at = 0; (at = text.find("$" + name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size() + 1, value);
  return text;
}

/// Defines %gelu and %slope of %x, both of type `T`.
static constexpr const char *geluOps = R"(
  %half = graph.constant dense<5.000000e-01> : $T
  %one = graph.constant dense<1.000000e+00> : $T
  %inner = graph.constant dense<0.797884583> : $T
  %cubic = graph.constant dense<4.471500e-02> : $T
  %thrice = graph.constant dense<0.107032225> : $T
  %s0 = graph.square %x : $T
  %s1 = graph.mul %s0, %x : $T
  %s2 = graph.mul %s1, %cubic : $T
  %s3 = graph.add %x, %s2 : $T
  %s4 = graph.mul %s3, %inner : $T
  %s5 = graph.tanh %s4 : $T
  %s6 = graph.mul %x, %half : $T
  %s7 = graph.add %s5, %one : $T
  %gelu = graph.mul %s6, %s7 : $T
  %d0 = graph.mul %x, %x : $T
  %d1 = graph.mul %d0, %thrice : $T
  %d2 = graph.add %d1, %inner : $T
  %d3 = graph.mul %s5, %s5 : $T
  %d4 = graph.sub %one, %d3 : $T
  %d5 = graph.mul %x, %d2 : $T
  %d6 = graph.mul %d5, %d4 : $T
  %d7 = graph.add %s5, %d6 : $T
  %d8 = graph.add %d7, %one : $T
  %slope = graph.mul %d8, %half : $T
)";

/// Two layers, forward and backward, with the gradients of both weights and biases.
static constexpr const char *layers = R"(
  %p = graph.matmul %a0, %a1 {transpose_rhs} : tensor<5x8x$E>, tensor<16x8x$E>
  %wide = graph.broadcast %a2, [1] : tensor<16x$E> to tensor<5x16x$E>
  %x = graph.add %p, %wide : tensor<5x16x$E>
  $GELU
  %q = graph.matmul %gelu, %a3 {transpose_rhs} : tensor<5x16x$E>, tensor<24x16x$E>
  %c = graph.broadcast %a4, [1] : tensor<24x$E> to tensor<5x24x$E>
  %y0 = graph.add %c, %q : tensor<5x24x$E>
  %back = graph.matmul %a5, %a3 : tensor<5x24x$E>, tensor<24x16x$E>
  %g = graph.mul %back, %slope : tensor<5x16x$E>
  %y1 = graph.matmul %g, %a0 {transpose_lhs} : tensor<5x16x$E>, tensor<5x8x$E>
  %y2 = graph.reduce sum %g, [0] : tensor<5x16x$E>
  %y3 = graph.matmul %gelu, %a5 {transpose_lhs} : tensor<5x16x$E>, tensor<5x24x$E>
  %y4 = graph.reduce sum %a5, [0] : tensor<5x24x$E>
)";

/// The same matmul for several samples, without a bias, and a matmul followed by relu.
static constexpr const char *samples = R"(
  %x = graph.matmul %a0, %a1 : tensor<3x5x7x$E>, tensor<3x7x8x$E>
  $GELU
  %back = graph.matmul %a2, %a3 : tensor<3x5x6x$E>, tensor<3x6x8x$E>
  %y0 = graph.mul %back, %slope : tensor<3x5x8x$E>
  %p = graph.matmul %gelu, %a1 {transpose_rhs} : tensor<3x5x8x$E>, tensor<3x7x8x$E>
  %wide = graph.broadcast %a4, [2] : tensor<7x$E> to tensor<3x5x7x$E>
  %sum = graph.add %p, %wide : tensor<3x5x7x$E>
  %y1 = graph.relu %sum : tensor<3x5x7x$E>
)";

/// A matmul whose result is read only by gelu.
static constexpr const char *forward = R"(
  %x = graph.matmul %a0, %a1 : tensor<9x5x$E>, tensor<5x16x$E>
  $GELU
  %y0 = graph.matmul %gelu, %a2 : tensor<9x16x$E>, tensor<16x3x$E>
)";

/// Returns a function with arguments and results of these shapes.
static std::string functionOf(const std::string &name, const std::vector<std::string> &arguments,
                              const std::string &body, const std::vector<std::string> &results) {
  std::string list, types, plain, values;
  for (size_t i = 0; i < arguments.size(); ++i)
    list += (i ? ", %a" : "%a") + std::to_string(i) + ": tensor<" + arguments[i] +
            "x$E> {graph.role = #graph.role<input \"" + name + ".a" + std::to_string(i) + "\">}";
  for (size_t i = 0; i < results.size(); ++i) {
    std::string comma = i ? ", " : "", type = "tensor<" + results[i] + "x$E>";
    types += comma + type + " {graph.role = #graph.role<output \"y" + std::to_string(i) + "\">}";
    plain += comma + type;
    values += comma + "%y" + std::to_string(i);
  }
  return "func.func @" + name + "(" + list + ") -> (" + types + ") {" + body + "  return " +
         values + " : " + plain + "\n}\n";
}

std::vector<std::string> productCases(const std::string &name) {
  std::vector<std::string> functions;
  auto add = [&](const std::string &type, const std::string &gelu,
                 const std::vector<std::string> &arguments, const char *body,
                 const std::vector<std::string> &results) {
    std::string ops = fill(geluOps, {{"T", "tensor<" + gelu + "x$E>"}});
    std::string own = name + std::to_string(functions.size());
    functions.push_back(
        fill(functionOf(own, arguments, body, results), {{"GELU", ops}, {"E", type}}));
  };
  for (const std::string &type : multiplied) {
    add(type, "5x16", {"5x8", "16x8", "16", "24x16", "24", "5x24"}, layers,
        {"5x24", "16x8", "16", "16x24", "24"});
    add(type, "3x5x8", {"3x5x7", "3x7x8", "3x5x6", "3x6x8", "7"}, samples, {"3x5x8", "3x5x7"});
    add(type, "9x16", {"9x5", "5x16", "16x3"}, forward, {"9x3"});
  }
  return functions;
}

} // namespace pcc::test
