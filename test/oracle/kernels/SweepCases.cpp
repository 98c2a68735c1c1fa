// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/SweepCases.h"

#include "test/oracle/kernels/Cases.h"
#include <functional>

namespace pcc::test {

namespace {
using Sizes = std::vector<int64_t>;

/// Writes one function: its shape, its element type, and the ops so far.
class Writer {
public:
  Writer(const std::string &name, Sizes shape, std::string element)
      : shape(std::move(shape)), element(std::move(element)), cases(name) {}

  int64_t o() const { return shape[0]; }
  int64_t r() const { return shape[1]; }
  int64_t i() const { return shape[2]; }

  std::string type(const Sizes &sizes, const std::string &of) const {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + of + ">";
  }
  std::string type(const Sizes &sizes) const { return type(sizes, element); }

  /// Adds an argument.
  std::string argument(const std::string &type) {
    arguments.push_back(type);
    return "%a" + std::to_string(arguments.size() - 1);
  }
  std::string argument(const Sizes &sizes) { return argument(type(sizes)); }
  /// Adds an op by its text; returns its name.
  std::string op(const std::string &text) {
    std::string name = "%v" + std::to_string(count++);
    body += "  " + name + " = graph." + text + "\n";
    return name;
  }
  std::string add(const std::string &a, const std::string &b, const Sizes &sizes) {
    return op((element == "i1" ? "or " : "add ") + a + ", " + b + " : " + type(sizes));
  }
  std::string mul(const std::string &a, const std::string &b, const Sizes &sizes) {
    return op("mul " + a + ", " + b + " : " + type(sizes));
  }
  std::string spread(const std::string &value, const Sizes &from, const std::string &dims,
                     const Sizes &to) {
    return op("broadcast " + value + ", [" + dims + "] : " + type(from) + " to " + type(to));
  }
  /// Adds an argument with the given dimensions (as "0, 2") of `to`, and repeats it along the
  /// others.
  std::string repeated(const std::string &dims, const Sizes &to) {
    Sizes from = take(dims, to);
    return spread(argument(from), from, dims, to);
  }
  std::string reshape(const std::string &value, const Sizes &from, const Sizes &to) {
    return op("reshape " + value + " : " + type(from) + " to " + type(to));
  }
  std::string reduce(const std::string &kind, const std::string &value, const std::string &dims,
                     const Sizes &from) {
    return op("reduce " + kind + " " + value + ", [" + dims + "] : " + type(from));
  }
  /// Returns x plus an operand that is repeated along some dimensions.
  std::string biased(const std::string &dims) {
    return add(argument(shape), repeated(dims, shape), shape);
  }
  /// Returns the function whose result is `value`.
  std::string finish(const std::string &value, const std::string &resultType) {
    cases.add(arguments, "graph.reshape " + value + " : " + resultType + " to " + resultType,
              resultType, body);
    return cases.functions.back();
  }
  std::string finish(const std::string &value, const Sizes &sizes) {
    return finish(value, type(sizes));
  }
  /// Returns the function with two results.
  std::string finish(const std::string &first, const Sizes &firstSizes, const std::string &second,
                     const Sizes &secondSizes) {
    cases.add(arguments, body, {{first, type(firstSizes)}, {second, type(secondSizes)}});
    return cases.functions.back();
  }
  /// Returns a value that a kernel of its own stores in memory. Only one reader follows, which may
  /// overwrite the value.
  std::string stored() {
    Sizes more = {4, r(), i()};
    return op("scatter_add " + argument(shape) + ", " + argument("tensor<4xi64>") + ", " +
              argument(more) + " axis = 0 : (" + type(shape) + ", tensor<4xi64>, " + type(more) +
              ") -> " + type(shape));
  }

  /// Returns the sizes of the given dimensions (as "0, 2") of a shape.
  static Sizes take(const std::string &dims, const Sizes &of) {
    Sizes sizes;
    for (char digit : dims)
      if (digit >= '0' && digit <= '9')
        sizes.push_back(of[digit - '0']);
    return sizes;
  }

  Sizes shape;
  std::string element;

private:
  Cases cases;
  std::vector<std::string> arguments;
  std::string body;
  int count = 0;
};

enum class Types { All, Numbers, Floats };
struct Form {
  Types types;
  std::function<std::string(Writer &)> write;
};
using Forms = std::vector<Form>;
/// Dimensions that a reduction combines, and the other dimensions.
struct Reduction {
  const char *dims, *kept;
};
} // namespace

/// Adds maps with operands that are repeated along some dimensions.
static void addRepeats(Forms &forms) {
  const std::vector<std::string> one = {"0", "1", "2", "0, 1", "1, 2", "0, 2"};
  for (const std::string &dims : one)
    forms.push_back({Types::All, [dims](Writer &w) { return w.finish(w.biased(dims), w.shape); }});
  for (size_t a = 0; a < one.size(); ++a)
    for (size_t b = a + 1; b < one.size(); ++b)
      forms.push_back({Types::All, [first = one[a], second = one[b]](Writer &w) {
                         std::string sum = w.biased(first);
                         return w.finish(w.add(sum, w.repeated(second, w.shape), w.shape), w.shape);
                       }});
  // Four dimensions: two nested repetitions.
  for (auto [first, second] : {std::pair("1", "2"), {"1, 2", "2"}, {"0, 2", "1, 3"}})
    for (int64_t factor : {2, 3, 4})
      forms.push_back({Types::All, [first, second, factor](Writer &w) {
                         Sizes shape = {w.o(), w.r(), factor, w.i()};
                         std::string sum =
                             w.add(w.argument(shape), w.repeated(first, shape), shape);
                         return w.finish(w.add(sum, w.repeated(second, shape), shape), shape);
                       }});
}

/// Adds copies that repeat, like an ONNX Tile, and views whose dimensions do not nest.
static void addViews(Forms &forms) {
  forms.push_back({Types::All, [](Writer &w) {
                     std::string tiled = w.repeated("1, 2", w.shape);
                     Sizes flat = {w.o() * w.r(), w.i()};
                     return w.finish(w.reshape(tiled, w.shape, flat), flat);
                   }});
  forms.push_back({Types::All, [](Writer &w) {
                     std::string tiled = w.repeated("0, 2", w.shape);
                     Sizes flat = {w.o(), w.r() * w.i()};
                     std::string sum =
                         w.add(w.reshape(tiled, w.shape, flat), w.argument(flat), flat);
                     return w.finish(w.add(sum, w.repeated("1", flat), flat), flat);
                   }});
  forms.push_back({Types::All, [](Writer &w) {
                     Sizes other = {w.o(), w.i(), w.r()};
                     std::string sum = w.add(w.reshape(w.biased("1"), w.shape, other),
                                             w.repeated("1", other), other);
                     return w.finish(sum, other);
                   }});
  // A small operand that is itself a sum of smaller ones.
  forms.push_back(
      {Types::All, [](Writer &w) {
         Sizes pair = {w.r(), w.i()}, flat = {w.r() * w.i()}, wide = {w.o(), w.r() * w.i()};
         std::string small = w.add(w.argument(pair), w.repeated("0", pair), pair);
         std::string sum =
             w.add(w.argument(wide), w.spread(w.reshape(small, pair, flat), flat, "1", wide), wide);
         return w.finish(sum, wide);
       }});
  for (auto [permutation, order] :
       {std::pair("0, 2, 1", Sizes{0, 2, 1}), {"1, 0, 2", {1, 0, 2}}, {"2, 1, 0", {2, 1, 0}}})
    forms.push_back({Types::All, [permutation = std::string(permutation), order](Writer &w) {
                       Sizes other = {w.shape[order[0]], w.shape[order[1]], w.shape[order[2]]};
                       std::string moved = w.op("transpose " + w.biased("1") + ", [" + permutation +
                                                "] : " + w.type(w.shape));
                       return w.finish(w.add(moved, w.repeated("1", other), other), other);
                     }});
}

/// Adds ops that read elements at other positions along one axis.
static void addAlongAxes(Forms &forms) {
  for (int axis : {1, 2}) {
    auto text = [axis](const char *before) {
      return std::string(before) + " axis = " + std::to_string(axis);
    };
    auto resized = [axis](Writer &w, int64_t size) {
      Sizes sizes = w.shape;
      sizes[axis] = size;
      return sizes;
    };
    forms.push_back({Types::All, [=](Writer &w) {
                       Sizes half = resized(w, (w.shape[axis] + 1) / 2);
                       std::string taken =
                           w.op("slice " + w.biased("1") + text("") +
                                " start = 0 {stride = 2 : i64} : " + w.type(w.shape) + " to " +
                                w.type(half));
                       return w.finish(w.add(taken, w.repeated("1", half), half), half);
                     }});
    forms.push_back({Types::All, [=](Writer &w) {
                       Sizes padded = resized(w, w.shape[axis] + 3);
                       std::string value = w.op("pad " + w.biased("1") + text("") +
                                                " low = 2 high = 1 : " + w.type(w.shape));
                       return w.finish(w.add(value, w.repeated("1", padded), padded), padded);
                     }});
    forms.push_back({Types::All, [=](Writer &w) {
                       Sizes more = resized(w, 3), all = resized(w, w.shape[axis] + 3);
                       std::string value =
                           w.op("concat " + w.biased("1") + ", " + w.argument(more) + text("") +
                                " : " + w.type(w.shape) + ", " + w.type(more));
                       return w.finish(w.add(value, w.repeated("1", all), all), all);
                     }});
    forms.push_back({Types::All, [=](Writer &w) {
                       Sizes taken = resized(w, 4);
                       std::string value =
                           w.op("gather " + w.biased("1") + ", " + w.argument("tensor<4xi64>") +
                                text("") + " : " + w.type(w.shape) + ", tensor<4xi64>");
                       return w.finish(w.add(value, w.repeated("1", taken), taken), taken);
                     }});
    forms.push_back({Types::Numbers, [=](Writer &w) {
                       std::string number = w.op(text("iota") + " : " + w.type(w.shape));
                       return w.finish(w.add(w.biased("1"), number, w.shape), w.shape);
                     }});
  }
  forms.push_back({Types::All, [](Writer &w) {
                     Sizes one = {w.o(), 1, w.i()};
                     std::string value =
                         w.op("dynamic_update_slice " + w.biased("1") + ", " + w.argument(one) +
                              ", " + w.argument("tensor<i64>") + " axis = 1 : (" + w.type(w.shape) +
                              ", " + w.type(one) + ", tensor<i64>) -> " + w.type(w.shape));
                     return w.finish(value, w.shape);
                   }});
  forms.push_back({Types::All, [](Writer &w) {
                     Sizes most = {w.o(), w.r() - 1, w.i()};
                     std::string value = w.op(
                         "dynamic_slice " + w.biased("1") + ", " + w.argument("tensor<i64>") +
                         " axis = 1 : (" + w.type(w.shape) + ", tensor<i64>) -> " + w.type(most));
                     return w.finish(w.add(value, w.repeated("1", most), most), most);
                   }});
  forms.push_back({Types::Numbers, [](Writer &w) {
                     std::string labels = w.argument(w.type({w.o(), w.i()}, "i64"));
                     std::string hot =
                         w.op("one_hot " + labels + " axis = 1 : " + w.type({w.o(), w.i()}, "i64") +
                              " to " + w.type(w.shape));
                     return w.finish(w.add(w.biased("1"), hot, w.shape), w.shape);
                   }});
}

/// Adds results that may overwrite an operand, with sums in the same kernel, as for a bias
/// gradient.
static void addOverwrites(Forms &forms) {
  for (Reduction form :
       {Reduction{"0", "1, 2"}, {"0, 1", "2"}, {"1", "0, 2"}, {"0, 2", "1"}, {"1, 2", "0"}})
    forms.push_back({Types::Numbers, [=](Writer &w) {
                       Sizes left = w.take(form.kept, w.shape);
                       std::string value = w.add(w.stored(), w.repeated("1", w.shape), w.shape);
                       std::string sum = w.reduce("sum", value, form.dims, w.shape);
                       return w.finish(value, w.shape, w.add(sum, w.argument(left), left), left);
                     }});
  forms.push_back({Types::Numbers, [](Writer &w) {
                     std::string sum = w.add(w.stored(), w.repeated("0, 2", w.shape), w.shape);
                     return w.finish(w.mul(sum, sum, w.shape), w.shape);
                   }});
}

/// Adds reductions of rows, of columns, of middle dimensions and of separate dimensions.
static void addReductions(Forms &forms) {
  for (Reduction form : {Reduction{"2", "0, 1"},
                         {"1, 2", "0"},
                         {"0", "1, 2"},
                         {"0, 1", "2"},
                         {"1", "0, 2"},
                         {"0, 2", "1"}})
    for (const char *kind : {"sum", "max"})
      forms.push_back({Types::Numbers, [=](Writer &w) {
                         std::string reduced = w.reduce(kind, w.biased("1"), form.dims, w.shape);
                         Sizes left = w.take(form.kept, w.shape);
                         return w.finish(w.add(reduced, w.argument(left), left), left);
                       }});
  // The sum is used by the elements, as in a softmax and in norms over one or two dimensions.
  for (Reduction form : {Reduction{"2", "0, 1"}, {"1, 2", "0"}, {"0, 2", "1"}})
    forms.push_back({Types::Floats, [=](Writer &w) {
                       std::string x = w.biased("1");
                       Sizes left = w.take(form.kept, w.shape);
                       std::string mean = w.reduce("mean", x, form.dims, w.shape);
                       std::string rest =
                           w.op("sub " + x + ", " + w.spread(mean, left, form.kept, w.shape) +
                                " : " + w.type(w.shape));
                       return w.finish(w.mul(rest, w.repeated("1", w.shape), w.shape), w.shape);
                     }});
  forms.push_back({Types::Floats, [](Writer &w) {
                     return w.finish(
                         w.op("softmax " + w.biased("1, 2") + " axis = 2 : " + w.type(w.shape)),
                         w.shape);
                   }});
}

/// Adds kernels with loops of their own: scatters, windows, integer matmuls.
static void addOthers(Forms &forms) {
  for (int axis : {0, 1})
    forms.push_back({Types::Numbers, [axis](Writer &w) {
                       Sizes more = w.shape;
                       more[axis] = 4;
                       std::string updates = w.add(w.argument(more), w.repeated("1", more), more);
                       std::string x = w.argument(w.shape), n = w.argument("tensor<4xi64>");
                       return w.finish(w.op("scatter_add " + x + ", " + n + ", " + updates +
                                            " axis = " + std::to_string(axis) + " : (" +
                                            w.type(w.shape) + ", tensor<4xi64>, " + w.type(more) +
                                            ") -> " + w.type(w.shape)),
                                       w.shape);
                     }});
  for (const char *kind : {"max_pool", "avg_pool"})
    forms.push_back({Types::Floats, [kind](Writer &w) {
                       Sizes image = {w.o(), 2, w.r(), w.i()},
                             pooled = {w.o(), 2, w.r() - 1, w.i()};
                       std::string x = w.add(w.argument(image), w.repeated("1", image), image);
                       std::string value = w.op(std::string(kind) + " " + x +
                                                " window = [2, 1] : " + w.type(image));
                       return w.finish(w.add(value, w.repeated("2", pooled), pooled), pooled);
                     }});
  forms.push_back({Types::Floats, [](Writer &w) {
                     Sizes image = {w.o(), 2, w.r(), w.i()}, pooled = {w.o(), 2, w.r() - 1, w.i()};
                     std::string x = w.argument(image), gradient = w.argument(pooled);
                     return w.finish(w.op("max_pool_gradient " + x + ", " + gradient +
                                          " window = [2, 1] : " + w.type(image) + ", " +
                                          w.type(pooled)),
                                     image);
                   }});
  forms.push_back({Types::Numbers, [](Writer &w) {
                     Sizes right = {w.o(), w.i(), 3}, product = {w.o(), w.r(), 3};
                     std::string value = w.op("matmul " + w.biased("1") + ", " + w.argument(right) +
                                              " : " + w.type(w.shape) + ", " + w.type(right));
                     return w.finish(w.add(value, w.repeated("1", product), product), product);
                   }});
}

static const Forms &allForms() {
  static const Forms forms = [] {
    Forms list;
    addRepeats(list);
    addViews(list);
    addAlongAxes(list);
    addReductions(list);
    addOverwrites(list);
    addOthers(list);
    return list;
  }();
  return forms;
}

static constexpr int64_t outers = 5, repeats = 64, inners = 9;

static const std::vector<std::string> &typesOf(const Form &form) {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list = numbers;
    list.push_back("i1");
    return list;
  }();
  return form.types == Types::All ? all : form.types == Types::Numbers ? numbers : floats;
}

int64_t countSweepCases() { return int64_t(allForms().size()) * outers * repeats * inners; }

static const Form &formOf(int64_t number) {
  return allForms()[number / (outers * repeats * inners)];
}

int64_t countSweepTypes(int64_t number) { return int64_t(typesOf(formOf(number)).size()); }

std::string sweepCase(const std::string &name, int64_t number, int64_t type) {
  const Form &form = formOf(number);
  const std::vector<std::string> &types = typesOf(form);
  Sizes shape = {1 + number % outers, 2 + number / outers % repeats,
                 1 + number / (outers * repeats) % inners};
  Writer writer(name, shape, types[type % types.size()]);
  return form.write(writer);
}

} // namespace pcc::test
