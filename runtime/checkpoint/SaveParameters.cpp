// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/checkpoint/SaveParameters.h"

#include "runtime/abi/Safetensors.h"
#include "runtime/abi/WholeFile.h"

namespace pcc::runtime {

Status checkSavePath(const std::string &path) {
  if (!path.ends_with(".safetensors"))
    return Status::badUsage(
        fmt::format("--save: expected a name that ends in .safetensors, got '{}'", path));
  return abi::FileWriter::create(path).status(); // gone again, since it is not committed
}

Status
saveParameters(const std::string &path, const abi::Program &program,
               const std::function<std::vector<std::byte>(const abi::Parameter &)> &globalOf) {
  std::vector<const abi::Parameter *> parameters;
  std::vector<abi::SafetensorsEntry> entries;
  for (const abi::Parameter &parameter : program.parameters()) {
    if (!parameter.state_of().empty())
      continue;
    const abi::Block &block = parameter.block();
    parameters.push_back(&parameter);
    entries.push_back({parameter.name(),
                       block.type(),
                       {block.global_shape().begin(), block.global_shape().end()}});
  }
  Expected<abi::FileWriter> file = abi::FileWriter::create(path);
  if (!file)
    return file.status();
  Status status = file->append(abi::safetensorsHead(entries));
  for (size_t i = 0; i < parameters.size() && status.ok(); ++i) {
    std::vector<std::byte> bytes = globalOf(*parameters[i]);
    status = file->append({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  }
  return status.ok() ? file->commit() : status;
}

} // namespace pcc::runtime
