// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions, and ops whose results depend on the elements along one axis.
#include "test/oracle/kernels/Cases.h"

namespace pcc::test {

/// Adds contractions and ops along an axis; both are compiled as their decompositions.
void addAlongAxis(Cases &cases) {
  for (const std::string &e : numbers) {
    auto t = [&](const std::string &dims) { return "tensor<" + dims + e + ">"; };
    cases.add({t("3x130x")}, "graph.argmax %a0 axis = 1 : " + t("3x130x"), "tensor<3xi64>");
    cases.add({t("17x5x")}, "graph.argmin %a0 axis = 0 {last} : " + t("17x5x"), "tensor<5xi64>");
    for (const char *axis : {"0", "1", "2"})
      cases.add({t("5x9x4x")},
                std::string("graph.cumsum %a0 axis = ") + axis + " {reverse} : " + t("5x9x4x"),
                t("5x9x4x"));
    cases.add({t("1x7x")}, "graph.cumsum %a0 axis = 0 {exclusive} : " + t("1x7x"), t("1x7x"));
    std::string top = "graph.top_k %a0 axis = 1 : " + t("4x33x") + " to " + t("4x5x");
    cases.add({t("4x33x")}, "graph.neg %v : " + t("4x5x"), t("4x5x"), "  %v, %i = " + top + "\n");
    cases.add({t("4x33x")}, "graph.neg %i : tensor<4x5xi64>", "tensor<4x5xi64>",
              "  %v, %i = " + top + "\n");
    cases.add({t("6x3x2x")}, "graph.neg %i : tensor<6x3x2xi64>", "tensor<6x3x2xi64>",
              "  %v, %i = graph.top_k %a0 axis = 0 {smallest} : " + t("6x3x2x") + " to " +
                  t("6x3x2x") + "\n");
    cases.add({t("2x5x3x7x"), t("2x4x3x7x")},
              "graph.einsum \"bqhd,bkhd->bhqk\" %a0, %a1 : " + t("2x5x3x7x") + ", " + t("2x4x3x7x"),
              t("2x3x5x4x"));
    cases.add({t("5x3x"), t("7x3x2x")},
              "graph.einsum \"ij,kja->ki\" %a0, %a1 : " + t("5x3x") + ", " + t("7x3x2x"),
              t("7x5x"));
    cases.add({t("5x"), t("7x")}, "graph.einsum \"i,j->ji\" %a0, %a1 : " + t("5x") + ", " + t("7x"),
              t("7x5x"));
  }
}

} // namespace pcc::test
