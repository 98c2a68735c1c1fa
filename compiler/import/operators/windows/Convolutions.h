// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions that several operators share.
#pragma once

#include "compiler/import/emit/Node.h"

namespace pcc::import {

/// Emits a convolution of sequences, images or volumes of floats, with the attributes of `node`.
/// Fails after an error.
mlir::FailureOr<Tensor> emitConvolution(Node &node, const Tensor &x, const Tensor &weight);

} // namespace pcc::import
