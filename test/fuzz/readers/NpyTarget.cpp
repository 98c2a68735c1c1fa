// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of a NumPy array, compressed or not, as a dataset.
#include "runtime/data/formats/Formats.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

static void readArray(std::string_view bytes) {
  pcc::fuzz::InputFile file("x.npy", bytes);
  (void)pcc::runtime::readNpy(file.path());
  (void)pcc::runtime::readNpyFiles("x=" + file.path());
}

PCC_FUZZ_TARGET(npy, readArray)
