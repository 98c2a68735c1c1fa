// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/DeviceConfigurations.h"

#include "compiler/import/onnx.pb.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace pcc::import {

FailureOr<std::string> chooseConfiguration(const onnx::ModelProto &model, StringRef asked,
                                           Location loc) {
  std::string known;
  for (const onnx::DeviceConfigurationProto &configuration : model.configuration()) {
    if (configuration.name() == asked)
      return asked.str();
    known += (known.empty() ? "'" : ", '") + configuration.name() + "'";
  }
  if (asked.empty())
    return model.configuration_size() == 1 ? model.configuration(0).name() : std::string();
  return emitError(loc) << "no device configuration '" << asked << "'; the file has "
                        << (known.empty() ? "none" : known);
}

std::optional<int64_t> findStage(const onnx::NodeProto &node, StringRef configuration) {
  for (const onnx::NodeDeviceConfigurationProto &entry : node.device_configurations())
    if (!configuration.empty() && entry.configuration_id() == configuration &&
        entry.has_pipeline_stage())
      return entry.pipeline_stage();
  return std::nullopt;
}

} // namespace pcc::import
