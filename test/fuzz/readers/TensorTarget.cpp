// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the file of an input's value (`--set-input`), and of a test's tensor, sequence or optional.
#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/onnx.pb.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/Target.h"

static void readTensors(std::string_view bytes) {
  pcc::fuzz::InputFile file("input_0.pb", bytes);
  mlir::MLIRContext &context = pcc::fuzz::getContext();
  (void)pcc::import::readTensorFile(file.path(), context);
  (void)pcc::import::readSequenceFile(file.path(), context);
  (void)pcc::import::readOptionalFile(file.path(), context);
}

PCC_FUZZ_TARGET(tensor, readTensors)
PCC_FUZZ_MESSAGE(pcc::onnx::OptionalProto)
