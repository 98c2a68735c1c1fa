// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/ParameterPieces.h"

#include "runtime/abi/ElementTypes.h"

namespace pcc::abi {

Runs runsOf(const Parameter &parameter) {
  if (!parameter.has_piece())
    return {};
  const Piece &piece = parameter.piece();
  int64_t periods = *elementCount(piece.shape()) / piece.period();
  return {*elementCount(parameter.block().global_shape()) / periods, piece.period(),
          piece.offset()};
}

const std::string &nameInFiles(const Parameter &parameter) {
  return parameter.has_piece() ? parameter.piece().whole() : parameter.name();
}

} // namespace pcc::abi
