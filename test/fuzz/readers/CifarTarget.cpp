// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a folder with one of CIFAR's files, of the version with 10 classes and of that with 100.
#include "runtime/data/formats/Formats.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

static void readCifarFolder(std::string_view bytes) {
  for (const char *name : {"data_batch_1.bin", "train.bin"}) {
    pcc::fuzz::InputFile file(name, bytes);
    (void)pcc::runtime::readCifar(pcc::fuzz::InputFile::folder(),
                                  pcc::runtime::DataPurpose::Training);
  }
}

PCC_FUZZ_TARGET(cifar, readCifarFolder)
