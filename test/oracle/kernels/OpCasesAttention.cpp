// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/Cases.h"

namespace pcc::test {

/// Adds attentions and their gradients, which have instructions of their own.
static void addAttentions(Cases &cases) {
  struct Form {
    const char *query, *key, *value, *result, *logSum, *mask, *attributes;
  };
  const Form forms[] = {
      {"2x3x5x4x", "2x3x5x4x", "2x3x5x4x", "2x3x5x4x", "2x3x5x", "", ""},
      {"1x4x70x8x", "1x2x130x8x", "1x2x130x3x", "1x4x70x3x", "1x4x70x", "", "causal"},
      {"2x2x6x4x", "2x1x9x4x", "2x1x9x4x", "2x2x6x4x", "2x2x6x", "2x1x1x9x", ""},
      {"2x2x6x4x", "2x2x3x4x", "2x2x3x4x", "2x2x6x4x", "2x2x6x", "1x2x6x3x", "causal"}};
  for (const Form &form : forms)
    for (const std::string &element : floats) {
      auto t = [&](const std::string &dims) { return "tensor<" + dims + element + ">"; };
      std::string masked = *form.mask ? ", %m" : "",
                  maskType = *form.mask ? ", " + t(form.mask) : "";
      std::string attributes = *form.attributes ? std::string(" {") + form.attributes + "}" : "";
      std::string types = t(form.query) + ", " + t(form.key) + ", " + t(form.value);
      std::string tail = masked + " scale = 0.5" + attributes + " : " + types;
      std::string sums =
          std::string("tensor<") + form.logSum + (element == "f64" ? "f64>" : "f32>");
      std::vector<std::string> arguments = {t(form.query), t(form.key), t(form.value),
                                            t(form.result)};
      if (*form.mask)
        arguments.push_back(t(form.mask));
      std::string mask = *form.mask ? "  %m = graph.neg %a4 : " + t(form.mask) + "\n" : "";
      std::string whole =
          mask + "  %r, %l = graph.attention %a0, %a1, %a2" + tail + maskType + "\n";
      cases.add(arguments, "graph.add %r, %a3 : " + t(form.result), t(form.result), whole);
      cases.add(arguments, "graph.neg %l : " + sums, sums, whole);
      std::string gradients = whole +
                              "  %q, %k, %v = graph.attention_gradient %a0, %a1, %a2, %r, "
                              "%l, %a3" +
                              tail + ", " + t(form.result) + ", " + sums + maskType + "\n";
      cases.add(arguments, "graph.neg %q : " + t(form.query), t(form.query), gradients);
      cases.add(arguments, "graph.neg %k : " + t(form.key), t(form.key), gradients);
      cases.add(arguments, "graph.neg %v : " + t(form.value), t(form.value), gradients);
    }
}

/// Adds attentions whose positions precede the heads in memory, as projections write them. The
/// instructions then read and write through the transposes.
static void addPositionsFirst(Cases &cases) {
  for (const std::string &element : multiplied) { // f64 has no instruction
    std::string before = "tensor<2x5x3x4x" + element + ">", x = "tensor<2x3x5x4x" + element + ">";
    auto transpose = [](const char *result, const char *operand, const std::string &type) {
      return std::string("  ") + result + " = graph.transpose " + operand +
             ", [0, 2, 1, 3] : " + type + "\n";
    };
    std::string tail = " scale = 0.5 {causal} : " + x + ", " + x + ", " + x;
    std::string forward = transpose("%q", "%a0", before) + transpose("%k", "%a1", before) +
                          transpose("%v", "%a2", before) + "  %r, %l = graph.attention %q, %k, %v" +
                          tail + "\n" + transpose("%o", "%r", x);
    std::vector<std::string> arguments(4, before);
    cases.add(arguments, "graph.add %o, %a3 : " + before, before, forward);
    std::string gradients = forward + transpose("%g", "%a3", before) +
                            "  %gq, %gk, %gv = graph.attention_gradient %q, %k, %v, %r, %l, %g" +
                            tail + ", " + x + ", tensor<2x3x5xf32>\n" + transpose("%tq", "%gq", x) +
                            transpose("%tk", "%gk", x) + transpose("%tv", "%gv", x) +
                            "  %qk = graph.sub %tq, %tk : " + before +
                            "\n  %qkv = graph.mul %qk, %tv : " + before + "\n";
    cases.add(arguments, "graph.add %o, %qkv : " + before, before, gradients);
  }
}

/// Adds rotations of halves and of neighbors, with angles for all samples or for each sample.
static void addRotations(Cases &cases) {
  for (const std::string &element : floats)
    for (const char *angles : {"5x3x", "2x5x3x"})
      for (const char *attributes : {"", " {interleaved}"}) {
        std::string x = "tensor<2x3x5x6x" + element + ">", c = "tensor<" + (angles + element) + ">";
        cases.add({x, c, c},
                  std::string("graph.rotary_embedding %a0, %a1, %a2") + attributes + " : " + x +
                      ", " + c,
                  x);
      }
}

void addAttention(Cases &cases) {
  addAttentions(cases);
  addPositionsFirst(cases);
  addRotations(cases);
}

} // namespace pcc::test
