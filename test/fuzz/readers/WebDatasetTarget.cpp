// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a tar archive of samples as a dataset, and all its rows, with images as they are and
// resized.
#include "runtime/data/formats/Formats.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

using namespace pcc;

static void readRows(const runtime::Dataset &data) {
  for (const runtime::Field &field : data.fields)
    if (field.values.bytes() < 1 << 26) {
      field.values.forEachPiece(0, field.values.bytes(), [](std::span<const std::byte>) {});
      (void)field.values.finishRead(0, field.values.bytes());
    }
}

static void readArchive(std::string_view bytes) {
  fuzz::InputFile file("x.tar", bytes);
  abi::Program program;
  abi::Input &input = *program.add_inputs();
  input.set_name("x");
  input.mutable_block()->set_type(abi::F32);
  for (int64_t size : {2, 1, 4, 3})
    input.mutable_block()->add_global_shape(size);
  for (int64_t shortSide : {0, 5})
    if (abi::Expected<runtime::Dataset> data = runtime::readWebDataset(
            file.path(), runtime::DataPurpose::Training, {shortSide, &program}))
      readRows(*data);
}

PCC_FUZZ_TARGET(webdataset, readArchive)
