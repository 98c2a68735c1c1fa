// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of a record as cuBLASLt takes it. The library's matrices go by columns, ours by rows,
// which is the same as the transposed one by columns. So it is asked for
//
//   cᵀ [n, m] = op(b)ᵀ [n, k] · op(a)ᵀ [k, m]
//
// with b as its first factor. A bias per column of c is one per row of cᵀ, as the library has it.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_PRODUCTPLAN_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_PRODUCTPLAN_H

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/library/CublasLt.h"

#include <array>
#include <compare>
#include <utility>

namespace pcc::runtime::cuda::lt {

/// A descriptor, which goes with this object.
template <typename Object> class Owned {
public:
  Owned() = default;
  Owned(Object object, LtStatus (*destroy)(Object)) : object(object), destroy(destroy) {}
  Owned(Owned &&other) noexcept { *this = std::move(other); }
  Owned &operator=(Owned &&other) noexcept {
    std::swap(object, other.object);
    std::swap(destroy, other.destroy);
    return *this;
  }
  ~Owned() {
    if (object)
      destroy(object);
  }
  Object get() const { return object; }

private:
  Object object = nullptr;
  LtStatus (*destroy)(Object) = nullptr;
};

/// Where the operands of a product lie; null for those that it has not.
struct ProductAddresses {
  std::byte *a, *b, *c, *bias, *kept, *sum;
};

/// All that the choice of an algorithm depends on.
struct ProductShape {
  int64_t batch, m, n, k;
  bool transposeA, transposeB, sharedB;
  DataType type, resultType;
  Epilogue epilogue;
  /// By how many bytes the addresses of a, b, c, of the vector and of what is kept are divisible,
  /// 256 at most.
  std::array<uint32_t, 5> alignments;

  auto operator<=>(const ProductShape &) const = default;
};

/// A batch that shares b and has no transposed a is one product of more rows.
ProductShape shapeOf(const abi::Matmul &matmul, const ProductAddresses &addresses);

/// Whether the library's rules allow to ask for it at all: sums of operands are of one product, and
/// what is kept has rows of a multiple of 8 elements.
bool mayAsk(const ProductShape &shape);

/// The descriptors of a product.
struct ProductPlan {
  Owned<MatmulDesc> desc;
  Owned<MatrixLayout> a, b, c;
};
Expected<ProductPlan> planProduct(const CublasLt &library, const ProductShape &shape,
                                  ComputeType compute, const ProductAddresses &addresses);

/// What the library would take for it, in a workspace of so many bytes; nothing if it does not do
/// it. The same in every run: partial sums are added in an order of their own, never as they come.
Expected<std::optional<Choice>> chooseAlgorithm(const CublasLt &library, Handle handle,
                                                const ProductShape &shape, const ProductPlan &plan,
                                                uint64_t workspaceBytes);

} // namespace pcc::runtime::cuda::lt

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_PRODUCTPLAN_H
