// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a rank's matmuls with cuBLASLt. It has one handle, one workspace, and one algorithm for all
// matmuls of a shape, chosen when the first of them is prepared.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/device/cuda/library/CublasLt.h"

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <utility>

namespace pcc::runtime::cuda::lt {

//===-- MatmulPlan.cpp ------------------------------------------------------------------------===//

// Maps an instruction's matmul to cuBLASLt. The library's matrices are column-major and ours are
// row-major, which is the same as the column-major transpose. So the library computes
//
//   cᵀ [n, m] = op(b)ᵀ [n, k] · op(a)ᵀ [k, m]
//
// with b as its first factor. A bias per column of c is one per row of cᵀ, as the library expects.

/// Owns a descriptor.
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

/// The addresses of a matmul's operands; null for missing ones. Gelu writes `preActivation`, and
/// its gradient reads it. `sum` receives the sum of a or b over k.
struct MatmulAddresses {
  std::byte *a, *b, *c, *bias, *preActivation, *sum;
};

/// Everything that the choice of an algorithm depends on.
struct MatmulShape {
  int64_t batch, m, n, k;
  bool transposeA, transposeB, sharedB;
  DataType type, resultType;
  Epilogue epilogue;
  /// The alignment in bytes of the addresses of a, b, c, the bias or sum vector, and the
  /// pre-activation; at most 256.
  std::array<uint32_t, 5> alignments;

  auto operator<=>(const MatmulShape &) const = default;
};

/// Returns the shape of a matmul. A batch that shares b and has no transposed a becomes one matmul
/// with more rows.
MatmulShape shapeOf(const abi::Matmul &matmul, const MatmulAddresses &addresses);

/// Returns whether the library's rules allow the matmul. Sums of operands need a batch of 1; the
/// pre-activation needs rows of a multiple of 8 elements.
bool isSupportedShape(const MatmulShape &shape);

/// The descriptors of a matmul.
struct MatmulPlan {
  Owned<MatmulDesc> desc;
  Owned<MatrixLayout> a, b, c;
};
Expected<MatmulPlan> planMatmul(const CublasLt &library, const MatmulShape &shape,
                                ComputeType compute, const MatmulAddresses &addresses);

/// Returns the library's choice for a workspace of `workspaceBytes` bytes; nothing if the library
/// does not support the matmul. The result has the same bits in every run: partial sums are added
/// in a fixed order, never in order of completion.
Expected<std::optional<Choice>> chooseAlgorithm(const CublasLt &library, Handle handle,
                                                const MatmulShape &shape, const MatmulPlan &plan,
                                                uint64_t workspaceBytes);

} // namespace pcc::runtime::cuda::lt

namespace pcc::runtime::cuda {

//===-- LibraryMatmuls.cpp --------------------------------------------------------------------===//

lt::MatmulAddresses addressesOf(const abi::Matmul &matmul, const PrepareContext &context);

class LibraryMatmuls {
public:
  /// `allowsTf32`: factors of f32 may be rounded to TF32.
  LibraryMatmuls(std::shared_ptr<const Gpu> gpu, bool allowsTf32)
      : gpu(std::move(gpu)), allowsTf32(allowsTf32) {}
  ~LibraryMatmuls();

  /// Prepares the matmul. Returns null without the library, or if the library does not support it.
  Expected<std::unique_ptr<PreparedInstruction>>
  prepare(const abi::Instruction &instruction, const PrepareContext &context, Stream &stream) {
    return prepare(instruction, instruction.matmul(), context, stream);
  }
  /// Prepares the matmul without its bias, activation, pre-activation and sums of operands.
  Expected<std::unique_ptr<PreparedInstruction>>
  prepareWithoutEpilogue(const abi::Instruction &instruction, const PrepareContext &context,
                         Stream &stream);

  /// Returns the bytes of GPU memory in use.
  uint64_t takenBytes() const { return workspace ? workspaceBytes : 0; }

private:
  Expected<std::unique_ptr<PreparedInstruction>> prepare(const abi::Instruction &instruction,
                                                         const abi::Matmul &matmul,
                                                         const PrepareContext &context,
                                                         Stream &stream);
  bool open();
  Status makeWorkspace();
  Expected<std::optional<lt::Choice>> choose(const lt::MatmulShape &shape,
                                             const lt::MatmulPlan &plan);

  static constexpr uint64_t workspaceBytes = 32 << 20;
  const std::shared_ptr<const Gpu> gpu;
  const bool allowsTf32;
  bool isTried = false;
  lt::Handle handle = nullptr;
  std::unique_ptr<Allocation> workspace;
  std::map<lt::MatmulShape, std::optional<lt::Choice>> choices;
};

} // namespace pcc::runtime::cuda
