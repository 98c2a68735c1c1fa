// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/emulator/CudnnGraph.h"

#include "runtime/base/HalfFloat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

namespace pcc::test::dnn {
namespace {

using Index = std::array<int64_t, 4>;

/// The elements of a tensor, in memory or owned.
class Elements {
public:
  Elements() = default;
  Elements(const Object &tensor, std::vector<double> values)
      : type(tensor.one<DataType>(Attribute::TensorDataType)), own(std::move(values)) {
    readForm(tensor);
  }
  Elements(const Object &tensor, void *memory, bool rounds)
      : type(tensor.one<DataType>(Attribute::TensorDataType)), memory(memory), rounds(rounds) {
    readForm(tensor);
  }

  int64_t size(size_t dim) const { return sizes[dim]; }
  int64_t span() const { return spanned; }

  /// Reads the element at an index of the shape `outer`: sizes of 1 are repeated, and several heads
  /// may share one.
  double at(Index index, const Index &outer) const {
    for (size_t dim = 0; dim < 4; ++dim)
      if (sizes[dim] != outer[dim])
        index[dim] = index[dim] * sizes[dim] / outer[dim];
    return read(placeOf(index));
  }
  double at(const Index &index) const { return read(placeOf(index)); }
  void set(const Index &index, double value) { write(placeOf(index), value); }

  double read(int64_t place) const {
    if (!memory)
      return own[size_t(place)];
    switch (type) {
    case DataType::Half:
      return runtime::toFloat(static_cast<runtime::Float16 *>(memory)[place]);
    case DataType::BFloat16:
      return runtime::toFloat(static_cast<runtime::BFloat16 *>(memory)[place]);
    case DataType::Int32:
      return static_cast<int32_t *>(memory)[place];
    default:
      return rounds ? rounded(static_cast<float *>(memory)[place])
                    : static_cast<float *>(memory)[place];
    }
  }

  void write(int64_t place, double value) {
    switch (type) {
    case DataType::Half:
      return put(place, runtime::toFloat16(float(value)));
    case DataType::BFloat16:
      return put(place, runtime::toBFloat16(float(value)));
    case DataType::Float:
      return memory ? void(static_cast<float *>(memory)[place] = float(value))
                    : void(own[size_t(place)] = float(value));
    default:
      own[size_t(place)] = value;
    }
  }

  template <typename Body> void forEach(Body body) const {
    Index i;
    for (i[0] = 0; i[0] < sizes[0]; ++i[0])
      for (i[1] = 0; i[1] < sizes[1]; ++i[1])
        for (i[2] = 0; i[2] < sizes[2]; ++i[2])
          for (i[3] = 0; i[3] < sizes[3]; ++i[3])
            body(i);
  }

  Index sizes = {};

private:
  void readForm(const Object &tensor) {
    std::vector<int64_t> dims = tensor.all<int64_t>(Attribute::TensorDimensions);
    std::vector<int64_t> steps = tensor.all<int64_t>(Attribute::TensorStrides);
    std::copy_n(dims.begin(), 4, sizes.begin());
    std::copy_n(steps.begin(), 4, strides.begin());
    spanned = spanOf(tensor);
  }
  int64_t placeOf(const Index &index) const {
    int64_t place = 0;
    for (size_t dim = 0; dim < 4; ++dim)
      place += index[dim] * strides[dim];
    return place;
  }
  static float rounded(float value) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffffe000);
  }
  template <typename Half> void put(int64_t place, Half value) {
    if (memory)
      static_cast<Half *>(memory)[place] = value;
    else
      own[size_t(place)] = runtime::toFloat(value);
  }

  DataType type = DataType::Float;
  Index strides = {};
  int64_t spanned = 0;
  void *memory = nullptr;
  bool rounds = false;
  std::vector<double> own; ///< elements of a tensor without memory
};

/// The attributes of an operation that are its operands, and the attribute that is its result.
struct Operands {
  std::vector<Attribute> read;
  Attribute written;
};

Operands operandsOf(Kind kind) {
  switch (kind) {
  case Kind::ConvolutionForward:
    return {{Attribute::ForwardX, Attribute::ForwardW}, Attribute::ForwardY};
  case Kind::ConvolutionBackwardData:
    return {{Attribute::BackwardDataW, Attribute::BackwardDataDy}, Attribute::BackwardDataDx};
  case Kind::ConvolutionBackwardFilter:
    return {{Attribute::BackwardFilterX, Attribute::BackwardFilterDy}, Attribute::BackwardFilterDw};
  case Kind::OperationPointwise:
    return {{Attribute::OperationPointwiseX, Attribute::OperationPointwiseB,
             Attribute::OperationPointwiseT},
            Attribute::OperationPointwiseY};
  case Kind::OperationMatmul:
    return {{Attribute::OperationMatmulA, Attribute::OperationMatmulB},
            Attribute::OperationMatmulC};
  case Kind::OperationReduction:
    return {{Attribute::OperationReductionX}, Attribute::OperationReductionY};
  default:
    return {{Attribute::OperationReshapeX}, Attribute::OperationReshapeY};
  }
}

std::vector<const Object *> operationsOf(const Object &graph) {
  return graph.all<const Object *>(Attribute::GraphOperations);
}

int64_t numberOf(const Object &tensor) { return tensor.one<int64_t>(Attribute::TensorUniqueId); }
bool isVirtual(const Object &tensor) { return tensor.one<bool>(Attribute::TensorIsVirtual); }
bool isOfHost(const Object &tensor) { return tensor.one<bool>(Attribute::TensorIsByValue); }

/// Returns all tensors of a graph, each once.
std::vector<const Object *> tensorsOf(const Object &graph) {
  std::map<int64_t, const Object *> tensors;
  for (const Object *op : operationsOf(graph)) {
    Operands operands = operandsOf(op->kind);
    for (Attribute name : operands.read)
      if (op->has(name))
        tensors[numberOf(op->object(name))] = &op->object(name);
    tensors[numberOf(op->object(operands.written))] = &op->object(operands.written);
  }
  std::vector<const Object *> list;
  for (auto [number, tensor] : tensors)
    list.push_back(tensor);
  return list;
}

double applied(PointwiseMode mode, double x, double b, double choice) {
  switch (mode) {
  case PointwiseMode::Add:
    return x + b;
  case PointwiseMode::Mul:
    return x * b;
  case PointwiseMode::Div:
    return x / b;
  case PointwiseMode::Sub:
    return x - b;
  case PointwiseMode::Exp:
    return std::exp(x);
  case PointwiseMode::Log:
    return std::log(x);
  case PointwiseMode::ReluForward:
    return x > 0 || std::isnan(x) ? x : 0;
  case PointwiseMode::GreaterOrEqual:
    return x >= b;
  case PointwiseMode::BinarySelect:
    return choice != 0 ? x : b;
  default:
    return x;
  }
}

/// One run of a graph.
class Run {
public:
  explicit Run(std::map<int64_t, Elements> tensors) : tensors(std::move(tensors)) {}
  void operator()(const Object &op);

private:
  Elements &of(const Object &op, Attribute name) { return tensors.at(numberOf(op.object(name))); }
  void point(const Object &op);
  void multiply(const Object &op);
  void reduce(const Object &op);
  void reshape(const Object &op);
  void convolve(const Object &op, Attribute convolution, Elements &x, Elements &w, Elements &y);

  std::map<int64_t, Elements> tensors;
};

void Run::point(const Object &op) {
  const Object &what = op.object(Attribute::OperationPointwise);
  auto mode = what.one<PointwiseMode>(Attribute::PointwiseMode);
  auto axis = size_t(what.one<int64_t>(Attribute::PointwiseAxis));
  Elements &x = of(op, Attribute::OperationPointwiseX), &y = of(op, Attribute::OperationPointwiseY);
  const Elements *b =
      op.has(Attribute::OperationPointwiseB) ? &of(op, Attribute::OperationPointwiseB) : nullptr;
  const Elements *t =
      op.has(Attribute::OperationPointwiseT) ? &of(op, Attribute::OperationPointwiseT) : nullptr;
  y.forEach([&](const Index &i) {
    y.set(i, mode == PointwiseMode::GenerateIndex
                 ? double(i[axis])
                 : applied(mode, x.at(i, y.sizes), b ? b->at(i, y.sizes) : 0,
                           t ? t->at(i, y.sizes) : 0));
  });
}

void Run::multiply(const Object &op) {
  Elements &a = of(op, Attribute::OperationMatmulA), &b = of(op, Attribute::OperationMatmulB),
           &c = of(op, Attribute::OperationMatmulC);
  int64_t depth = a.size(3);
  c.forEach([&](const Index &i) {
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k)
      sum += a.at({i[0], i[1], i[2], k}, {c.size(0), c.size(1), c.size(2), depth}) *
             b.at({i[0], i[1], k, i[3]}, {c.size(0), c.size(1), depth, c.size(3)});
    c.set(i, sum);
  });
}

void Run::reduce(const Object &op) {
  auto how =
      op.object(Attribute::OperationReduction).one<ReductionOperator>(Attribute::ReductionOperator);
  Elements &x = of(op, Attribute::OperationReductionX), &y = of(op, Attribute::OperationReductionY);
  Index each;
  for (size_t dim = 0; dim < 4; ++dim)
    each[dim] = x.size(dim) / y.size(dim);
  y.forEach([&](const Index &i) {
    bool isMax = how == ReductionOperator::Max;
    double sum = isMax ? -HUGE_VAL : 0;
    for (int64_t n = 0; n < each[0] * each[1] * each[2] * each[3]; ++n) {
      Index j;
      int64_t rest = n;
      for (size_t dim = 4; dim-- > 0; rest /= each[dim])
        j[dim] = i[dim] * each[dim] + rest % each[dim];
      sum = isMax ? std::max(sum, x.at(j)) : sum + x.at(j);
    }
    y.set(i, sum);
  });
}

/// Copies the elements to another shape, in the same order.
void Run::reshape(const Object &op) {
  Elements &x = of(op, Attribute::OperationReshapeX), &y = of(op, Attribute::OperationReshapeY);
  for (int64_t place = 0; place < x.span(); ++place)
    y.write(place, x.read(place));
}

/// Calls `visit` with the positions in x, w and y of each product, and writes the sums.
void Run::convolve(const Object &op, Attribute convolution, Elements &x, Elements &w, Elements &y) {
  const Object &what = op.object(convolution);
  std::vector<int64_t> strides = what.all<int64_t>(Attribute::ConvolutionStrides),
                       padding = what.all<int64_t>(Attribute::ConvolutionPrePaddings),
                       dilations = what.all<int64_t>(Attribute::ConvolutionDilations);
  Elements &out = op.kind == Kind::ConvolutionForward        ? y
                  : op.kind == Kind::ConvolutionBackwardData ? x
                                                             : w;
  auto flat = [&](const Index &i) {
    return ((i[0] * out.size(1) + i[1]) * out.size(2) + i[2]) * out.size(3) + i[3];
  };
  std::vector<double> sums(size_t(out.size(0) * out.size(1) * out.size(2) * out.size(3)));
  int64_t outputsPerGroup = w.size(0) / (x.size(1) / w.size(1));
  y.forEach([&](const Index &at) {
    int64_t first = at[1] / outputsPerGroup * w.size(1);
    for (int64_t c = 0; c < w.size(1); ++c)
      for (int64_t r = 0; r < w.size(2); ++r)
        for (int64_t s = 0; s < w.size(3); ++s) {
          Index i = {at[0], first + c, at[2] * strides[0] - padding[0] + r * dilations[0],
                     at[3] * strides[1] - padding[1] + s * dilations[1]};
          if (i[2] < 0 || i[2] >= x.size(2) || i[3] < 0 || i[3] >= x.size(3))
            continue;
          Index o = {at[1], c, r, s};
          if (&out == &y)
            sums[size_t(flat(at))] += x.at(i) * w.at(o);
          else if (&out == &x)
            sums[size_t(flat(i))] += y.at(at) * w.at(o);
          else
            sums[size_t(flat(o))] += y.at(at) * x.at(i);
        }
  });
  out.forEach([&](const Index &i) { out.set(i, sums[size_t(flat(i))]); });
}

void Run::operator()(const Object &op) {
  switch (op.kind) {
  case Kind::ConvolutionForward:
    return convolve(op, Attribute::ForwardConvolution, of(op, Attribute::ForwardX),
                    of(op, Attribute::ForwardW), of(op, Attribute::ForwardY));
  case Kind::ConvolutionBackwardData:
    return convolve(op, Attribute::BackwardDataConvolution, of(op, Attribute::BackwardDataDx),
                    of(op, Attribute::BackwardDataW), of(op, Attribute::BackwardDataDy));
  case Kind::ConvolutionBackwardFilter:
    return convolve(op, Attribute::BackwardFilterConvolution, of(op, Attribute::BackwardFilterX),
                    of(op, Attribute::BackwardFilterDw), of(op, Attribute::BackwardFilterDy));
  case Kind::OperationPointwise:
    return point(op);
  case Kind::OperationMatmul:
    return multiply(op);
  case Kind::OperationReduction:
    return reduce(op);
  default:
    return reshape(op);
  }
}

/// Reads a host scalar as an element.
double readHost(const Object &tensor, const void *address) {
  return tensor.one<DataType>(Attribute::TensorDataType) == DataType::Int32
             ? double(*static_cast<const int32_t *>(address))
             : double(*static_cast<const float *>(address));
}

} // namespace

std::vector<const Object *> memoryTensors(const Object &graph) {
  std::vector<const Object *> list = tensorsOf(graph);
  std::erase_if(list, [](const Object *tensor) { return isVirtual(*tensor) || isOfHost(*tensor); });
  return list;
}

std::vector<const Object *> hostTensors(const Object &graph) {
  std::vector<const Object *> list = tensorsOf(graph);
  std::erase_if(list, [](const Object *tensor) { return !isOfHost(*tensor); });
  return list;
}

/// Operations must be in executable order: a virtual tensor is made once, before it is read.
bool isKnown(const Object &graph) {
  std::set<int64_t> made;
  for (const Object *op : operationsOf(graph)) {
    Operands operands = operandsOf(op->kind);
    for (Attribute name : operands.read)
      if (op->has(name) && isVirtual(op->object(name)) &&
          !made.contains(numberOf(op->object(name))))
        return false;
    if (!made.insert(numberOf(op->object(operands.written))).second)
      return false;
  }
  return true;
}

std::function<void()> workOf(const Object &graph, const Addresses &addresses, bool rounds) {
  std::map<int64_t, Elements> tensors;
  for (const Object *tensor : tensorsOf(graph)) {
    int64_t number = numberOf(*tensor);
    if (isOfHost(*tensor))
      tensors[number] = Elements(*tensor, std::vector{readHost(*tensor, addresses.at(number))});
    else if (!isVirtual(*tensor))
      tensors[number] = Elements(*tensor, addresses.at(number), rounds);
    else
      tensors[number] = Elements(*tensor, std::vector<double>(size_t(spanOf(*tensor))));
  }
  return [graph = graph.shared_from_this(), run = Run(std::move(tensors))]() mutable {
    for (const Object *op : operationsOf(*graph))
      run(*op);
  };
}

} // namespace pcc::test::dnn
