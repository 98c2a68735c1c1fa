// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports an ONNX model, with its nodes recorded as for a plan.
#include "compiler/import/Import.h"
#include "compiler/import/files/onnx.pb.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/Target.h"

static void importOnnxFile(std::string_view bytes) {
  pcc::fuzz::InputFile file("model.onnx", bytes);
  pcc::import::ImportOptions options;
  options.recordsNodes = true;
  (void)pcc::import::importOnnx(file.path(), options, pcc::fuzz::getContext());
}

PCC_FUZZ_TARGET(onnx, importOnnxFile)
PCC_FUZZ_MESSAGE(pcc::onnx::ModelProto)
