// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators of random programs. Each function adds an op of its kind with random operands and
// attributes, and the ops that its operands need. It adds nothing if no value fits.
#pragma once

#include "test/oracle/sharding/ProgramMaker.h"

namespace pcc::test {

// DrawElements.cpp
void drawUnary(ProgramMaker &maker);
void drawBinary(ProgramMaker &maker);
void drawSelect(ProgramMaker &maker);
void drawDropout(ProgramMaker &maker);
void drawReduction(ProgramMaker &maker);
void drawLoss(ProgramMaker &maker); ///< of two floats, or of class numbers

// DrawShapes.cpp
void drawReshape(ProgramMaker &maker);
void drawTranspose(ProgramMaker &maker);
void drawBroadcast(ProgramMaker &maker);
void drawPiece(ProgramMaker &maker); ///< slice, split, pad
void drawConcat(ProgramMaker &maker);
void drawDynamicSlice(ProgramMaker &maker);

// DrawProducts.cpp
void drawMatmul(ProgramMaker &maker);
void drawEinsum(ProgramMaker &maker);
void drawAttention(ProgramMaker &maker);
void drawRotation(ProgramMaker &maker);

// DrawImages.cpp
void drawConvolution(ProgramMaker &maker);
void drawPool(ProgramMaker &maker);

// DrawNormals.cpp
void drawSoftmax(ProgramMaker &maker);
void drawLayerNorm(ProgramMaker &maker); ///< or rms_norm
void drawBatchNorm(ProgramMaker &maker); ///< either mode

// DrawNumbers.cpp
void drawArgmax(ProgramMaker &maker);
void drawTopK(ProgramMaker &maker);
void drawCumsum(ProgramMaker &maker);
void drawGather(ProgramMaker &maker);
void drawScatterAdd(ProgramMaker &maker);
void drawOneHot(ProgramMaker &maker);

} // namespace pcc::test
