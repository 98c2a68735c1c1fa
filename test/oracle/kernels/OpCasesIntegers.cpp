// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of all widths, with and without a sign, at the limits of their types; and casts of
// floats that no integer type holds.
#include "test/oracle/kernels/Cases.h"

namespace pcc::test {

static std::string tensor(const std::string &element) { return "tensor<17x" + element + ">"; }

/// Defines a constant of 17 elements: `values` in turn.
static std::string constant(const std::string &name, const std::vector<std::string> &values,
                            const std::string &element) {
  std::string list;
  for (int n = 0; n < 17; ++n)
    list += (n ? ", " : "") + values[n % values.size()];
  return "  " + name + " = graph.constant dense<[" + list + "]> : " + tensor(element) + "\n";
}

/// Ops that read a sign, on numbers whose highest bit is set.
static void addUnsigned(Cases &cases) {
  struct Type {
    const char *name, *greatest, *half;
  };
  const Type types[] = {{"ui8", "255", "128"},
                        {"ui16", "65535", "32768"},
                        {"ui32", "4294967295", "2147483648"},
                        {"ui64", "18446744073709551615", "9223372036854775808"}};
  for (const Type &type : types) {
    std::string t = tensor(type.name), bools = tensor("i1");
    std::string extremes =
        constant("%x", {"0", type.greatest, type.half, "1", "7"}, type.name) +
        constant("%w", {type.greatest, "1", type.half, "3", "0", "2"}, type.name) +
        constant("%one", {"1"}, type.name) + "  %d = graph.max %w, %one : " + t + "\n";
    for (const char *op : {"add", "sub", "mul", "max", "min", "div", "mod"})
      cases.add({t}, "graph.add %r, %a0 : " + t, t,
                extremes + "  %r = graph." + op + " %x, %d : " + t + "\n");
    for (const char *op : {"neg", "abs", "sign", "square", "relu", "not"})
      cases.add({t}, "graph.add %r, %a0 : " + t, t,
                extremes + "  %r = graph." + op + " %x : " + t + "\n");
    for (const char *direction : {"lt", "le", "gt", "ge"})
      cases.add({t}, std::string("graph.compare ") + direction + " %s, %w : " + t, bools,
                extremes + "  %s = graph.add %x, %a0 : " + t + "\n");
    cases.add({t}, "graph.clamp %x {low = -3.0 : f64, high = 200.5 : f64} : " + t, t, extremes);
    for (const char *kind : {"sum", "prod", "max", "min"})
      cases.add({t}, std::string("graph.reduce ") + kind + " %s, [0] : " + t,
                "tensor<" + std::string(type.name) + ">",
                extremes + "  %s = graph.max %x, %a0 : " + t + "\n");
    for (const std::string &to : numbers)
      if (to != type.name)
        cases.add({t}, "graph.cast %s : " + t + " to " + tensor(to), tensor(to),
                  extremes + "  %s = graph.max %x, %a0 : " + t + "\n");
    cases.add({t}, "graph.argmax %s axis = 0 : " + t, "tensor<i64>",
              extremes + "  %s = graph.max %x, %a0 : " + t + "\n");
  }
}

/// Casts between signed types and from them, on negative numbers and limits.
static void addSignedCasts(Cases &cases) {
  struct Type {
    const char *name, *least, *greatest;
  };
  const Type types[] = {{"i8", "-128", "127"},
                        {"i16", "-32768", "32767"},
                        {"i32", "-2147483648", "2147483647"},
                        {"i64", "-9223372036854775808", "9223372036854775807"}};
  for (const Type &type : types) {
    std::string t = tensor(type.name);
    std::string extremes = constant("%x", {type.least, type.greatest, "-1", "0", "5"}, type.name) +
                           "  %z = graph.sub %a0, %a0 : " + t + "\n  %s = graph.add %x, %z : " + t +
                           "\n";
    for (const std::string &to : numbers)
      if (to != type.name)
        cases.add({t}, "graph.cast %s : " + t + " to " + tensor(to), tensor(to), extremes);
  }
}

/// Numbers that some integer type does not hold: its limits and beyond, infinities and NaN.
static void addFloatCasts(Cases &cases) {
  const std::vector<std::string> values = {"1.0e30",
                                           "-1.0e30",
                                           "0x7FF0000000000000",
                                           "0xFFF0000000000000",
                                           "0x7FF8000000000000",
                                           "-0.75",
                                           "300.0",
                                           "-129.0",
                                           "9223372036854775808.0",
                                           "18446744073709549568.0",
                                           "18446744073709551616.0",
                                           "-9223372036854775808.0",
                                           "2147483648.0",
                                           "-40000.5",
                                           "65536.0",
                                           "0.0",
                                           "4294967296.0"};
  std::vector<std::string> singles = {"1.0e30",
                                      "-1.0e30",
                                      "0x7F800000",
                                      "0xFF800000",
                                      "0x7FC00000",
                                      "-0.75",
                                      "300.0",
                                      "-129.0",
                                      "9223372036854775808.0",
                                      "18446742974197923840.0",
                                      "18446744073709551616.0",
                                      "-9223372036854775808.0",
                                      "2147483648.0",
                                      "-40000.5",
                                      "65536.0",
                                      "0.0",
                                      "4294967296.0"};
  for (const std::string from : {"f32", "f64"}) {
    std::string t = tensor(from);
    std::string numbersAndZero = constant("%x", from == "f64" ? values : singles, from) +
                                 "  %z = graph.sub %a0, %a0 : " + t +
                                 "\n  %s = graph.add %x, %z : " + t + "\n";
    for (const std::string &to : numbers)
      if (to != from)
        cases.add({t}, "graph.cast %s : " + t + " to " + tensor(to), tensor(to), numbersAndZero);
  }
}

void addIntegers(Cases &cases) {
  addUnsigned(cases);
  addSignedCasts(cases);
  addFloatCasts(cases);
}

} // namespace pcc::test
