// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and pooling.
#include "test/oracle/kernels/Cases.h"

namespace pcc::test {

/// A window: attributes, and its result's rows and columns for an input of 9 rows and 7 columns.
struct WindowForm {
  const char *window, *attributes, *result;
};

static const WindowForm windowForms[] = {
    {"3x2", "", "7x6x"},
    {"3x3", "padding = array<i64: 1, 1, 1, 1>", "9x7x"},
    {"2x3", "strides = array<i64: 2, 2>, padding = array<i64: 1, 0, 1, 2>", "5x4x"},
    {"2x2", "dilations = array<i64: 3, 2>, padding = array<i64: 0, 1, 2, 0>", "8x6x"},
    {"1x1", "strides = array<i64: 4, 3>", "3x3x"}};

static void addPools(Cases &cases) {
  for (const WindowForm &form : windowForms)
    for (const std::string &element : floats) {
      auto t = [&](const std::string &dims) { return "tensor<2x3x" + dims + element + ">"; };
      std::string window = form.window, attributes = form.attributes;
      window = " window = [" + window.substr(0, 1) + ", " + window.substr(2) + "]";
      auto braces = [](const std::string &text) { return text.empty() ? "" : " {" + text + "}"; };
      std::string tail = window + braces(attributes) + " : " + t("9x7x");
      cases.add({t("9x7x")}, "graph.max_pool %a0" + tail, t(form.result));
      cases.add({t("9x7x")}, "graph.avg_pool %a0" + tail, t(form.result));
      cases.add({t("9x7x"), t(form.result)},
                "graph.max_pool_gradient %a0, %a1" + tail + ", " + t(form.result), t("9x7x"));
      std::string counting = attributes + (attributes.empty() ? "" : ", ") + "count_include_pad";
      cases.add({t("9x7x")}, "graph.avg_pool %a0" + window + braces(counting) + " : " + t("9x7x"),
                t(form.result));
      // The relu runs in the same kernel.
      cases.add({t("9x7x")}, "graph.relu %p : " + t(form.result), t(form.result),
                "  %p = graph.max_pool %a0" + tail + "\n");
    }
}

/// A max_pool of one image: attributes, and the shapes of the image and of the result.
struct LargePool {
  const char *window, *attributes, *image, *result;
};

/// Gradients of max_pool with more windows than the shared memory of a GPU's block holds: a plane
/// in several tiles, strides beyond the window, dilated windows, and a row that needs too many
/// windows.
static void addPoolTiles(Cases &cases) {
  const LargePool pools[] = {
      {"[3, 3]", "padding = array<i64: 1, 1, 1, 1>", "67x61x", "67x61x"},
      {"[2, 1]", "strides = array<i64: 3, 1>, padding = array<i64: 0, 0, 1, 0>", "173x67x",
       "58x67x"},
      {"[2, 3]", "dilations = array<i64: 5, 2>, padding = array<i64: 2, 0, 3, 1>", "70x73x",
       "70x70x"},
      {"[2, 1]", "dilations = array<i64: 60, 1>", "122x101x", "62x101x"}};
  for (const LargePool &pool : pools)
    for (const char *element : {"f32", "bf16"}) {
      auto t = [&](const char *dims) { return std::string("tensor<1x2x") + dims + element + ">"; };
      cases.add({t(pool.image), t(pool.result)},
                std::string("graph.max_pool_gradient %a0, %a1 window = ") + pool.window + " {" +
                    pool.attributes + "} : " + t(pool.image) + ", " + t(pool.result),
                t(pool.image));
    }
}

/// Library convolutions are tested with the device; these cases test the calls, and the kernels of
/// f64.
static void addConvolutions(Cases &cases) {
  for (const WindowForm &form : windowForms)
    for (const char *element : {"f32", "f16", "f64"}) {
      auto t = [&](const std::string &dims) { return "tensor<" + dims + element + ">"; };
      std::string input = t("2x4x9x7x"), weight = t(std::string("6x2x") + form.window + "x");
      std::string result = t(std::string("2x6x") + form.result), attributes = form.attributes;
      attributes = attributes.empty() ? "" : " {" + attributes + "}";
      cases.add({input, weight},
                "graph.conv2d %a0, %a1" + attributes + " : " + input + ", " + weight, result);
      cases.add({result, weight},
                "graph.conv2d_input_gradient %a0, %a1" + attributes + " : " + result + ", " +
                    weight + " to " + input,
                input);
      cases.add({input, result},
                "graph.conv2d_weight_gradient %a0, %a1" + attributes + " : " + input + ", " +
                    result + " to " + weight,
                weight);
      cases.add({input, weight, t("6x")}, "graph.relu %s : " + result, result,
                "  %c = graph.conv2d %a0, %a1" + attributes + " : " + input + ", " + weight +
                    "\n  %b = graph.broadcast %a2, [1] : " + t("6x") + " to " + result +
                    "\n  %s = graph.add %c, %b : " + result + "\n");
    }
}

void addWindows(Cases &cases) {
  addPools(cases);
  addPoolTiles(cases);
  addConvolutions(cases);
}

} // namespace pcc::test
