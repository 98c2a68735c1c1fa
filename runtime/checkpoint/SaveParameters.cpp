// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups parameters by the name of their tensor in files, writes the header, then one tensor after
// the other. Parts are joined run by run (ParameterParts.h).

#include "runtime/checkpoint/SaveParameters.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Safetensors.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/abi/program/ParameterParts.h"
#include "runtime/base/Files.h"
#include "runtime/base/FiniteValues.h"

#include <algorithm>
#include <map>
#include <span>

namespace pcc::runtime {

Status checkSavePath(const std::string &path) {
  if (!path.ends_with(".safetensors"))
    return Status::badUsage(
        fmt::format("--save: expected a name that ends in .safetensors, got '{}'", path));
  return checkOutputPath("--save", path);
}

/// Returns the bytes of a tensor of the file: of its only parameter, or of its joined parts.
static Expected<std::vector<std::byte>> join(const std::vector<const abi::Parameter *> &parts,
                                             const GlobalOf &globalOf) {
  const abi::Parameter &first = *parts.front();
  if (!first.has_part())
    return globalOf(first);
  size_t width = abi::elementBytes(first.block().type());
  std::vector<std::byte> whole(size_t(*abi::elementCount(first.part().shape())) * width);
  for (const abi::Parameter *part : parts) {
    Expected<std::vector<std::byte>> bytes = globalOf(*part);
    if (!bytes)
      return bytes;
    abi::Runs runs = abi::runsOf(*part);
    size_t run = size_t(runs.run) * width;
    for (size_t at = 0; at < bytes->size(); at += run)
      std::copy_n(bytes->begin() + ptrdiff_t(at), run,
                  whole.begin() + ptrdiff_t(size_t(runs.inWhole(int64_t(at / width))) * width));
  }
  return whole;
}

static abi::SafetensorsEntry entryOf(const abi::Parameter &parameter) {
  const abi::Block &block = parameter.block();
  const auto &shape = parameter.has_part() ? parameter.part().shape() : block.global_shape();
  return {abi::nameInFiles(parameter), block.type(), {shape.begin(), shape.end()}};
}

Status saveParameters(const std::string &path, const abi::Program &program,
                      const GlobalOf &globalOf, bool mustBeFinite) {
  std::vector<std::vector<const abi::Parameter *>> tensors;
  std::vector<abi::SafetensorsEntry> entries;
  std::map<std::string, size_t> places; // by name: the index in `tensors`
  for (const abi::Parameter &parameter : program.parameters()) {
    if (!parameter.state_of().empty())
      continue;
    auto [place, isNew] = places.try_emplace(abi::nameInFiles(parameter), tensors.size());
    if (isNew) {
      tensors.emplace_back();
      entries.push_back(entryOf(parameter));
    }
    tensors[place->second].push_back(&parameter);
  }
  Expected<abi::FileWriter> file = abi::FileWriter::create(path);
  if (!file)
    return file.status();
  Status status = file->append(abi::safetensorsHead(entries));
  for (size_t i = 0; i < tensors.size() && status.ok(); ++i) {
    Expected<std::vector<std::byte>> bytes = join(tensors[i], globalOf);
    if (!bytes)
      return bytes.status();
    bool isTrained = std::ranges::any_of(tensors[i], &abi::Parameter::trainable);
    if (mustBeFinite && isTrained && !areFinite(entries[i].type, *bytes))
      return Status::failed(fmt::format("{}: not written: expected finite numbers in the parameter "
                                        "'{}'; '--on-nonfinite=continue' writes it",
                                        path, entries[i].name));
    status = file->append({reinterpret_cast<const char *>(bytes->data()), bytes->size()});
  }
  return status.ok() ? file->commit() : status;
}

} // namespace pcc::runtime
