// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a tar archive of samples as a dataset.
#include "runtime/data/Formats.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

static void readArchive(std::string_view bytes) {
  pcc::fuzz::InputFile file("x.tar", bytes);
  (void)pcc::runtime::readWebDataset(file.path(), pcc::runtime::DataPurpose::Training);
}

PCC_FUZZ_TARGET(webdataset, readArchive)
