// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/OpCases.h"

#include "test/oracle/kernels/Cases.h"

namespace pcc::test {

static const std::vector<std::string> shapes = {"", "1x", "17x", "3x130x", "2x1x5x"};

static void addElementwise(Cases &cases) {
  int turn = 0;
  auto next = [&](const std::string &element) {
    return "tensor<" + shapes[turn++ % shapes.size()] + element + ">";
  };
  for (const std::string &element : numbers) {
    for (const char *op : {"add", "sub", "mul", "max", "min"}) {
      std::string type = next(element);
      cases.add({type, type}, std::string("graph.") + op + " %a0, %a1 : " + type, type);
    }
    for (const char *op : {"neg", "abs", "sign", "square", "relu"}) {
      std::string type = next(element);
      cases.add({type}, std::string("graph.") + op + " %a0 : " + type, type);
    }
    for (const char *direction : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      std::string dims = shapes[turn++ % shapes.size()], type = "tensor<" + dims + element + ">";
      cases.add({type, type}, std::string("graph.compare ") + direction + " %a0, %a1 : " + type,
                "tensor<" + dims + "i1>");
    }
    std::string dims = shapes[turn++ % shapes.size()], from = "tensor<" + dims + element + ">";
    std::vector<std::string> others = numbers;
    others.push_back("i1");
    for (const std::string &other : others) {
      std::string to = "tensor<" + dims + other + ">";
      if (to != from)
        cases.add({from}, "graph.cast %a0 : " + from + " to " + to, to);
    }
  }
  for (const std::string &element : floats) {
    for (const char *op : {"exp", "sin", "cos", "tanh", "sigmoid", "erf", "floor", "ceil", "round",
                           "silu", "softplus", "gelu", "leaky_relu", "elu", "clamp"}) {
      std::string type = next(element), attributes;
      if (std::string(op) == "leaky_relu" || std::string(op) == "elu")
        attributes = " {alpha = 0.3 : f64}";
      if (std::string(op) == "clamp")
        attributes = " {low = -0.5 : f64, high = 0.75 : f64}";
      cases.add({type}, std::string("graph.") + op + " %a0" + attributes + " : " + type, type);
    }
    // Functions that require positive numbers.
    for (const char *op : {"log", "log1p", "sqrt", "rsqrt", "reciprocal"}) {
      std::string type = next(element);
      cases.add({type}, std::string("graph.") + op + " %x : " + type, type,
                "  %x = graph.exp %a0 : " + type + "\n");
    }
  }
  for (const char *element : {"i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"})
    for (const char *op : {"and", "or"}) {
      std::string type = next(element);
      cases.add({type, type}, std::string("graph.") + op + " %a0, %a1 : " + type, type);
    }
}

/// Limits of integer types: the minimum divided by -1 (with every divisor but 0 in the same
/// kernel), and bounds and class numbers that the type cannot hold.
static void addIntegerLimits(Cases &cases) {
  const std::pair<const char *, const char *> leasts[] = {
      {"i8", "-128"}, {"i32", "-2147483648"}, {"i64", "-9223372036854775808"}};
  for (auto [element, least] : leasts) {
    std::string type = std::string("tensor<17x") + element + ">";
    std::string before = "  %one = graph.constant dense<1> : " + type +
                         "\n  %least = graph.constant dense<" + least + "> : " + type +
                         "\n  %d = graph.or %a0, %one : " + type + "\n";
    for (const char *op : {"div", "mod"})
      for (const char *dividend : {"%a1", "%least"})
        cases.add({type, type}, std::string("graph.") + op + " " + dividend + ", %d : " + type,
                  type, before);
    for (const char *bounds : {"low = -1.0e30 : f64, high = 2.5 : f64",
                               "low = 0.5 : f64, high = 9223372036854775807.0 : f64"})
      cases.add({type}, std::string("graph.clamp %a0 {") + bounds + "} : " + type, type);
    cases.add({type}, "graph.one_hot %a0 axis = 1 : " + type + " to tensor<17x300xf32>",
              "tensor<17x300xf32>");
  }
}

static void addReductions(Cases &cases) {
  struct Reduction {
    std::string input, dims, result;
  };
  const std::vector<Reduction> reductions = {
      {"17x", "[0]", ""},
      {"3x130x", "[1]", "3x"},
      {"3x130x", "[0]", "130x"},
      {"3x130x", "[0, 1]", ""},
      {"4x5x6x", "[0, 2]", "5x"},
      {"4x5x6x", "[1]", "4x6x"},
      {"4x5x6x", "[1, 2]", "4x"},
      {"4x5x6x", "[0, 1]", "6x"},
      {"1x7x", "[0]", "7x"},
      {"7x1x", "[1]", "7x"},
      {"40x64x", "[0]", "64x"},
      {"2x200x", "[0]", "200x"},
      {"3x768x", "[0]", "768x"}, // blocks of 256 columns
      // Middle: blocks of columns with a remainder, for each outer position; runs with gaps.
      {"3x4x200x", "[1]", "3x200x"},
      {"2x3x4x5x", "[0, 2]", "3x5x"},
      {"2x1x3x1x5x1x", "[0, 4]", "1x3x1x1x"},
      {"2x3x4x5x6x", "[1, 3]", "2x4x6x"},
      {"2x3x4x5x6x", "[0, 2, 4]", "3x5x"}};
  for (const Reduction &r : reductions)
    for (const char *kind : {"sum", "mean", "max", "min", "prod"})
      for (const std::string element : {"f32", "bf16", "f64", "i32", "i64", "ui8", "ui64"}) {
        if (std::string(kind) == "mean" && element.find('i') != std::string::npos)
          continue; // floats only
        cases.add({"tensor<" + r.input + element + ">"},
                  std::string("graph.reduce ") + kind + " %a0, " + r.dims + " : tensor<" + r.input +
                      element + ">",
                  "tensor<" + r.result + element + ">");
      }
}

/// Products of elements whose first half is infinite and whose second half underflows, along rows
/// and columns.
static void addScaledProducts(Cases &cases) {
  auto add = [&](const std::string &half, const std::string &all, int axis) {
    std::string factors = "  %p = graph.constant dense<1.2676506e30> : " + half +
                          "\n  %q = graph.constant dense<7.8886091e-31> : " + half +
                          "\n  %f = graph.concat %p, %q axis = " + std::to_string(axis) + " : " +
                          half + ", " + half + "\n  %c = graph.tanh %a0 : " + all +
                          "\n  %e = graph.exp %c : " + all + "\n  %s = graph.mul %e, %f : " + all +
                          "\n";
    cases.add({all}, "graph.reduce prod %s, [" + std::to_string(axis) + "] : " + all,
              "tensor<3xf32>", factors);
  };
  add("tensor<3x32xf32>", "tensor<3x64xf32>", 1);
  add("tensor<32x3xf32>", "tensor<64x3xf32>", 0);
}

/// Reductions over middle dimensions, with other reductions in the same kernel.
static void addMiddleReductions(Cases &cases) {
  // One op has six adjacent results, the other has two.
  cases.add({"tensor<4x5x6xf32>", "tensor<4x3x5x2xf32>"}, "graph.add %r, %v : tensor<4x6xf32>",
            "tensor<4x6xf32>",
            "  %r = graph.reduce sum %a0, [1] : tensor<4x5x6xf32>\n"
            "  %q = graph.reduce max %a1, [2] : tensor<4x3x5x2xf32>\n"
            "  %v = graph.reshape %q : tensor<4x3x2xf32> to tensor<4x6xf32>\n");
  // The result is repeated along rows of another tensor.
  cases.add({"tensor<4x5x6xf32>", "tensor<4x6x5xf32>"}, "graph.mul %b, %a1 : tensor<4x6x5xf32>",
            "tensor<4x6x5xf32>",
            "  %r = graph.reduce mean %a0, [1] : tensor<4x5x6xf32>\n"
            "  %b = graph.broadcast %r, [0, 1] : tensor<4x6xf32> to tensor<4x6x5xf32>\n");
}

static void addShapes(Cases &cases) {
  for (const char *e : {"f32", "i64", "f16", "i1", "i8", "f64", "ui8", "ui64"}) {
    auto t = [&](const std::string &dims) { return "tensor<" + dims + e + ">"; };
    cases.add({t("3x5x7x")}, "graph.transpose %a0, [2, 0, 1] : " + t("3x5x7x"), t("7x3x5x"));
    cases.add({t("33x17x")}, "graph.transpose %a0, [1, 0] : " + t("33x17x"), t("17x33x"));
    cases.add({t("5x")}, "graph.broadcast %a0, [1] : " + t("5x") + " to " + t("3x5x"), t("3x5x"));
    cases.add({t("3x1x")}, "graph.broadcast %a0, [0, 2] : " + t("3x1x") + " to " + t("3x4x5x"),
              t("3x4x5x"));
    cases.add({t("")}, "graph.broadcast %a0, [] : " + t("") + " to " + t("4x3x"), t("4x3x"));
    cases.add({t("9x4x")},
              "graph.slice %a0 axis = 0 start = 7 {stride = -3 : i64} : " + t("9x4x") + " to " +
                  t("3x4x"),
              t("3x4x"));
    cases.add({t("4x9x")}, "graph.slice %a0 axis = 1 start = 2 : " + t("4x9x") + " to " + t("4x5x"),
              t("4x5x"));
    cases.add({t("4x9x"), "tensor<i64>"},
              "graph.dynamic_slice %a0, %a1 axis = 1 : (" + t("4x9x") + ", tensor<i64>) -> " +
                  t("4x5x"),
              t("4x5x"));
    cases.add({t("4x9x"), t("4x3x"), "tensor<i32>"},
              "graph.dynamic_update_slice %a0, %a1, %a2 axis = 1 : (" + t("4x9x") + ", " +
                  t("4x3x") + ", tensor<i32>) -> " + t("4x9x"),
              t("4x9x"));
    cases.add({t("4x5x")}, "graph.pad %a0 axis = 1 low = 2 high = 1 : " + t("4x5x"), t("4x8x"));
    cases.add({t("4x5x")},
              "graph.pad %a0 axis = 0 low = -1 high = 2 {value = 1.0 : f64} : " + t("4x5x"),
              t("5x5x"));
    cases.add({t("2x5x"), t("3x5x")},
              "graph.concat %a0, %a1 axis = 0 : " + t("2x5x") + ", " + t("3x5x"), t("5x5x"));
    cases.add({t("4x2x"), t("4x1x"), t("4x3x")},
              "graph.concat %a0, %a1, %a2 axis = 1 : " + t("4x2x") + ", " + t("4x1x") + ", " +
                  t("4x3x"),
              t("4x6x"));
    cases.add({t("6x5x"), "tensor<2x3xi64>"},
              "graph.gather %a0, %a1 axis = 0 : " + t("6x5x") + ", tensor<2x3xi64>", t("2x3x5x"));
    cases.add({t("4x7x"), "tensor<3xi32>"},
              "graph.gather %a0, %a1 axis = 1 : " + t("4x7x") + ", tensor<3xi32>", t("4x3x"));
    if (std::string(e) == "i1")
      continue;
    cases.add({t("6x5x"), "tensor<4xi64>", t("4x5x")},
              "graph.scatter_add %a0, %a1, %a2 axis = 0 : (" + t("6x5x") + ", tensor<4xi64>, " +
                  t("4x5x") + ") -> " + t("6x5x"),
              t("6x5x"));
    cases.add({t("3x4x"), "tensor<5xi32>", t("3x5x")},
              "graph.scatter_add %a0, %a1, %a2 axis = 1 : (" + t("3x4x") + ", tensor<5xi32>, " +
                  t("3x5x") + ") -> " + t("3x4x"),
              t("3x4x"));
    cases.add({"tensor<3xi64>"}, "graph.one_hot %a0 axis = 1 : tensor<3xi64> to " + t("3x6x"),
              t("3x6x"));
    cases.add({}, "graph.iota axis = 1 : " + t("2x5x"), t("2x5x"));
  }
  cases.add({"tensor<3x50xi64>", "tensor<i64>"},
            "graph.rng_uniform %a0, %a1 : (tensor<3x50xi64>, tensor<i64>) -> tensor<3x50xf32>",
            "tensor<3x50xf32>");
  cases.add({"tensor<2x3x4xi32>", "tensor<2x4x5xi32>"},
            "graph.matmul %a0, %a1 : tensor<2x3x4xi32>, tensor<2x4x5xi32>", "tensor<2x3x5xi32>");
  cases.add(
      {"tensor<4x3xi64>", "tensor<5x4xi64>"},
      "graph.matmul %a0, %a1 {transpose_lhs, transpose_rhs} : tensor<4x3xi64>, tensor<5x4xi64>",
      "tensor<3x5xi64>");
  cases.add({"tensor<3x4xui8>", "tensor<4x5xui8>"},
            "graph.matmul %a0, %a1 : tensor<3x4xui8>, tensor<4x5xui8>", "tensor<3x5xui8>");
  cases.add({"tensor<2x3x40xf64>", "tensor<2x40x5xf64>"},
            "graph.matmul %a0, %a1 : tensor<2x3x40xf64>, tensor<2x40x5xf64>", "tensor<2x3x5xf64>");
  cases.add({"tensor<40x3xf64>", "tensor<5x40xf64>", "tensor<5xf64>"},
            "graph.relu %s : tensor<3x5xf64>", "tensor<3x5xf64>",
            "  %p = graph.matmul %a0, %a1 {transpose_lhs, transpose_rhs} : tensor<40x3xf64>, "
            "tensor<5x40xf64>\n  %b = graph.broadcast %a2, [1] : tensor<5xf64> to tensor<3x5xf64>\n"
            "  %s = graph.add %p, %b : tensor<3x5xf64>\n");
  cases.add({"tensor<3x4xf32>", "tensor<4x5xf32>"},
            "graph.matmul %a0, %a1 : tensor<3x4xf32>, tensor<4x5xf32>", "tensor<3x5xf32>");
}

/// Adds functions that return each of the `results` of an optimizer step with `states`, besides the
/// parameter and the gradient. States and step number are not negative.
static void addStep(Cases &cases, const std::string &op, int states, bool hasNumber, int results,
                    const std::string &attributes) {
  const std::string shape = "17x5x";
  for (const std::string &element : floats) {
    std::string type = "tensor<" + shape + element + ">";
    std::string state = "tensor<" + shape + (element == "f64" ? "f64>" : "f32>");
    std::vector<std::string> arguments = {type, state};
    std::string operands = "%a0, %a1", types = type + " (" + state, before;
    for (int index = 2; index < 2 + states; ++index) {
      std::string name = std::to_string(index);
      before += "  %s" + name + " = graph.square %a" + name + " : " + state + "\n";
      operands += ", %s" + name;
      types += ", " + state;
      arguments.push_back(state);
    }
    arguments.push_back("tensor<f32>");
    operands += ", %a" + std::to_string(2 + states);
    types += "), tensor<f32>";
    if (hasNumber) {
      before += "  %n = graph.square %a" + std::to_string(3 + states) + " : tensor<i64>\n";
      arguments.push_back("tensor<i64>");
      operands += ", %n";
      types += ", tensor<i64>";
    }
    before += "  %r:" + std::to_string(results) + " = graph." + op + " " + operands + " {" +
              attributes + "} : " + types + "\n";
    for (int index = 0; index < results; ++index) {
      const std::string &result = index == 0 ? type : state;
      cases.add(arguments, "graph.neg %r#" + std::to_string(index) + " : " + result, result,
                before);
    }
  }
}

static void addOptimizers(Cases &cases) {
  const std::string decay = "weight_decay = 0.1 : f64";
  const std::string epsilon = decay + ", epsilon = 1.0e-3 : f64";
  const std::string betas = epsilon + ", beta1 = 0.9 : f64, beta2 = 0.99 : f64";
  addStep(cases, "sgd", 0, false, 1, decay);
  addStep(cases, "momentum", 1, false, 2, decay + ", momentum = 0.9 : f64");
  addStep(cases, "momentum", 1, false, 2, decay + ", momentum = 0.9 : f64, nesterov");
  addStep(cases, "adagrad", 1, false, 2, epsilon);
  for (const char *op : {"adam", "adam_weight_decay", "lamb"})
    addStep(cases, op, 2, true, 3, betas);
}

std::vector<std::string> opCases(const std::string &name) {
  Cases cases(name);
  addElementwise(cases);
  addIntegerLimits(cases);
  addIntegers(cases);
  addReductions(cases);
  addScaledProducts(cases);
  addMiddleReductions(cases);
  addAlongAxis(cases);
  addShapes(cases);
  addOptimizers(cases);
  addWindows(cases);
  addAttention(cases);
  addNormalForms(cases);
  return cases.functions;
}

} // namespace pcc::test
