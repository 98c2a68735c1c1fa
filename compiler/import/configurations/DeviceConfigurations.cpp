// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks configurations up by name, in the order of the file. The error for an unknown name lists
// the names that exist.
#include "compiler/import/configurations/DeviceConfigurations.h"

#include "compiler/import/files/Locations.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace pcc::import {

static bool hasConfiguration(const onnx::ModelProto &model, StringRef name) {
  return llvm::any_of(model.configuration(), [&](const onnx::DeviceConfigurationProto &known) {
    return known.name() == name;
  });
}

/// Emits an error such as `no device configuration 'a'; the file has 'b', 'c'`.
static LogicalResult reportUnknownConfiguration(const onnx::ModelProto &model, StringRef requested,
                                                Location loc) {
  std::string known;
  for (const onnx::DeviceConfigurationProto &configuration : model.configuration())
    known += (known.empty() ? "'" : ", '") + configuration.name() + "'";
  return emitError(loc) << "no device configuration '" << requested << "'; the file has "
                        << (known.empty() ? "none" : known);
}

FailureOr<std::string> chooseConfiguration(const onnx::ModelProto &model, StringRef requested,
                                           Location loc) {
  if (hasConfiguration(model, requested))
    return requested.str();
  if (isNoConfiguration(requested))
    return std::string();
  if (!requested.empty())
    return reportUnknownConfiguration(model, requested, loc);
  return model.configuration_size() == 1 ? model.configuration(0).name() : std::string();
}

LogicalResult checkConfigurations(const onnx::ModelProto &model, StringRef path,
                                  MLIRContext &context) {
  for (const auto &[index, node] : llvm::enumerate(model.graph().node()))
    for (const onnx::NodeDeviceConfigurationProto &entry : node.device_configurations())
      if (!hasConfiguration(model, entry.configuration_id()))
        return reportUnknownConfiguration(model, entry.configuration_id(),
                                          nodeLocation(path, int64_t(index), node, context));
  return success();
}

std::optional<int64_t> findPipelineStage(const onnx::NodeProto &node, StringRef configuration) {
  for (const onnx::NodeDeviceConfigurationProto &entry : node.device_configurations())
    if (!configuration.empty() && entry.configuration_id() == configuration &&
        entry.has_pipeline_stage())
      return entry.pipeline_stage();
  return std::nullopt;
}

} // namespace pcc::import
