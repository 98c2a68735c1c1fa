// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of MNIST's format, compressed or not.
#include "runtime/data/formats/Formats.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

static void readIdxFile(std::string_view bytes) {
  pcc::fuzz::InputFile file("train-images-idx3-ubyte", bytes);
  (void)pcc::runtime::readIdx(file.path());
}

PCC_FUZZ_TARGET(idx, readIdxFile)
