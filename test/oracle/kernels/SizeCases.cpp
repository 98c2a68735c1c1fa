// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes at which the loops of GPUs change. Rows of a warp; rows of a block with its elements in
// registers; rows that need a loop; each with multiples of 16 bytes and without. Columns for
// several blocks and warps. More elements than one round of a grid processes. More rows of a
// scatter than warps.
#include "test/oracle/kernels/SizeCases.h"

#include "test/oracle/kernels/Cases.h"

namespace pcc::test {

static std::string tensor(const std::string &dims, const std::string &element) {
  return "tensor<" + dims + element + ">";
}

static void addRows(Cases &cases, const std::string &e) {
  for (const char *columns : {"31", "128", "768", "1000", "3000", "4096", "40001"}) {
    const std::string x = tensor("9x" + std::string(columns) + "x", e);
    cases.add({x}, "graph.softmax %a0 axis = 1 : " + x, x);
    cases.add({x}, "graph.reduce mean %a0, [1] : " + x, tensor("9x", e));
  }
  const std::string x = tensor("5x257x24x", e);
  cases.add({x}, "graph.reduce sum %a0, [0, 1, 2] : " + x, tensor("", e));
}

static void addColumns(Cases &cases, const std::string &e) {
  for (const char *shape : {"5x200x", "300x33x", "77x256x", "130x1000x"}) {
    const std::string x = tensor(shape, e),
                      columns = std::string(shape).substr(std::string(shape).find('x') + 1);
    cases.add({x}, "graph.reduce sum %a0, [0] : " + x, tensor(columns, e));
    cases.add({x}, "graph.reduce max %a0, [0] : " + x, tensor(columns, e));
  }
  const std::string x = tensor("3x70x90x", e);
  cases.add({x}, "graph.reduce max %a0, [1] : " + x, tensor("3x90x", e));
}

static void addMaps(Cases &cases, const std::string &e) {
  const std::string x = tensor("1031x1100x", e), y = tensor("1100x1031x", e),
                    b = tensor("1100x", e);
  cases.add({x}, "graph.neg %a0 : " + x, x);
  cases.add({x, b}, "graph.add %a0, %b : " + x, x,
            "  %b = graph.broadcast %a1, [1] : " + b + " to " + x + "\n");
  cases.add({x}, "graph.transpose %a0, [1, 0] : " + x, y);
}

/// Adds transposes: complete and partial tiles, several dimensions, arithmetic on both sides.
static void addTransposes(Cases &cases, const std::string &e) {
  const std::string x = tensor("3x40x64x5x", e), y = tensor("3x64x5x40x", e),
                    z = tensor("5x40x3x64x", e);
  cases.add({x}, "graph.transpose %a0, [0, 2, 3, 1] : " + x, y);
  cases.add({x}, "graph.transpose %a0, [3, 1, 0, 2] : " + x, z);
  const std::string wide = tensor("33x65x", e), tall = tensor("65x33x", e);
  cases.add({wide, tall, wide}, "graph.add %t, %u : " + tall, tall,
            "  %s = graph.square %a0 : " + wide + "\n  %t = graph.transpose %s, [1, 0] : " + wide +
                "\n  %r = graph.transpose %a2, [1, 0] : " + wide +
                "\n  %u = graph.mul %r, %a1 : " + tall + "\n");
}

static void addScatters(Cases &cases, const std::string &e) {
  for (const char *rows : {"9", "5000", "9001"}) {
    const std::string x = tensor(std::string(rows) + "x40x", e), u = tensor("100x40x", e);
    cases.add({x, "tensor<100xi64>", u},
              "graph.scatter_add %a0, %a1, %a2 axis = 0 : (" + x + ", tensor<100xi64>, " + u +
                  ") -> " + x,
              x);
  }
}

std::vector<std::string> sizeCases(const std::string &name) {
  Cases cases(name);
  for (const std::string &element : floats) {
    addRows(cases, element);
    addColumns(cases, element);
    addMaps(cases, element);
    addTransposes(cases, element);
    addScatters(cases, element);
  }
  return cases.functions;
}

} // namespace pcc::test
