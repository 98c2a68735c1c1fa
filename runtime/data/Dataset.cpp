// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/Dataset.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/base/HalfFloat.h"
#include "runtime/data/Idx.h"

#include <cstring>

namespace pcc::runtime {
namespace {

/// Converts between element types by way of `convert`, one value at a time; the loop vectorises.
template <typename From, typename To, typename Convert>
void convertAll(const std::byte *from, std::byte *to, int64_t count, Convert convert) {
  const From *source = reinterpret_cast<const From *>(from);
  To *target = reinterpret_cast<To *>(to);
  for (int64_t i = 0; i < count; ++i)
    target[i] = convert(source[i]);
}

template <typename From>
void convertTo(abi::ElementType type, const std::byte *from, std::byte *to, int64_t count,
               float scale) {
  auto scaled = [scale](From value) { return float(value) * scale; };
  switch (type) {
  case abi::F32:
    return convertAll<From, float>(from, to, count, scaled);
  case abi::F16:
    return convertAll<From, Float16>(from, to, count,
                                     [&](From value) { return toFloat16(scaled(value)); });
  case abi::BF16:
    return convertAll<From, BFloat16>(from, to, count,
                                      [&](From value) { return toBFloat16(scaled(value)); });
  case abi::I32:
    return convertAll<From, int32_t>(from, to, count, [](From value) { return int32_t(value); });
  case abi::I64:
    return convertAll<From, int64_t>(from, to, count, [](From value) { return int64_t(value); });
  case abi::BOOL:
    return convertAll<From, bool>(from, to, count, [](From value) { return value != 0; });
  default:
    return convertAll<From, int8_t>(from, to, count, [](From value) { return int8_t(value); });
  }
}

bool isInteger(abi::ElementType type) {
  return type == abi::I32 || type == abi::I64 || type == abi::I8 || type == abi::BOOL;
}

/// The files of a folder, or the two that are named.
Expected<std::pair<std::string, std::string>> findFiles(const std::string &name,
                                                        DataPurpose purpose) {
  if (size_t comma = name.find(','); comma != std::string::npos)
    return std::pair(name.substr(0, comma), name.substr(comma + 1));
  if (!fileExists(name))
    return Status::badInput(fmt::format("{}: no such file or folder", name));
  std::vector<std::string> prefixes = {"train"};
  if (purpose == DataPurpose::Evaluation)
    prefixes = {"test", "t10k"};
  for (const std::string &prefix : prefixes)
    for (const char *suffix : {"", ".gz"}) {
      std::string images = fmt::format("{}/{}-images-idx3-ubyte{}", name, prefix, suffix);
      if (fileExists(images))
        return std::pair(images, fmt::format("{}/{}-labels-idx1-ubyte{}", name, prefix, suffix));
    }
  return Status::badInput(
      fmt::format("{}: expected '{}-images-idx3-ubyte' or the same with '.gz'", name, prefixes[0]));
}

} // namespace

uint64_t storageBytes(Storage storage) {
  switch (storage) {
  case Storage::F32:
    return 4;
  case Storage::I64:
    return 8;
  default:
    return 1;
  }
}

int64_t Field::rowElements() const {
  int64_t count = 1;
  for (int64_t extent : rowShape)
    count *= extent;
  return count;
}

void Field::read(int64_t row, int64_t begin, int64_t count, abi::ElementType type,
                 std::byte *out) const {
  const std::byte *from =
      values.data() + (row * rowElements() + begin) * int64_t(storageBytes(storage));
  switch (storage) {
  case Storage::Pixels:
    return convertTo<uint8_t>(type, from, out, count, 1.0f / 255.0f);
  case Storage::Bytes:
    return convertTo<uint8_t>(type, from, out, count, 1.0f);
  case Storage::F32:
    if (type == abi::F32)
      std::memcpy(out, from, count * sizeof(float));
    else
      convertTo<float>(type, from, out, count, 1.0f);
    return;
  case Storage::I64:
    return convertTo<int64_t>(type, from, out, count, 1.0f);
  }
}

int64_t Field::integerAt(int64_t row, int64_t element) const {
  int64_t value;
  read(row, element, 1, abi::I64, reinterpret_cast<std::byte *>(&value));
  return value;
}

int64_t Dataset::bytes() const {
  int64_t sum = 0;
  for (const Field &field : fields)
    sum += int64_t(field.values.size());
  return sum;
}

Expected<Dataset> openDataset(const std::string &name, DataPurpose purpose) {
  auto files = findFiles(name, purpose);
  if (!files)
    return files.status();
  Expected<IdxTensor> images = readIdx(files->first);
  if (!images)
    return images.status();
  Expected<IdxTensor> labels = readIdx(files->second);
  if (!labels)
    return labels.status();
  if (labels->shape.size() != 1)
    return Status::badInput(fmt::format("{}: expected one dimension of labels, got {}",
                                        files->second, labels->shape.size()));
  if (images->shape[0] != labels->shape[0])
    return Status::badInput(
        fmt::format("{}: expected {} labels, one for each image of '{}', got {}", files->second,
                    images->shape[0], files->first, labels->shape[0]));
  Dataset dataset{.name = name, .rows = images->shape[0], .fields = {}};
  dataset.fields.push_back({"image",
                            Storage::Pixels,
                            {images->shape.begin() + 1, images->shape.end()},
                            std::move(images->values)});
  dataset.fields.push_back({"label", Storage::Bytes, {}, std::move(labels->values)});
  return dataset;
}

Expected<std::vector<int>> bindFields(const Dataset &dataset, const abi::Program &program) {
  std::vector<int> fieldOf(program.inputs_size(), -1);
  std::vector<bool> taken(dataset.fields.size(), false);
  auto bind = [&](int input, auto &&fits) {
    for (size_t f = 0; f < dataset.fields.size() && fieldOf[input] < 0; ++f)
      if (!taken[f] && fits(dataset.fields[f])) {
        fieldOf[input] = int(f);
        taken[f] = true;
      }
  };
  for (int i = 0; i < program.inputs_size(); ++i)
    bind(i, [&](const Field &field) { return field.name == program.inputs(i).name(); });
  for (int i = 0; i < program.inputs_size(); ++i)
    bind(i, [&](const Field &field) {
      return field.isInteger() == isInteger(program.inputs(i).block().type());
    });
  for (int i = 0; i < program.inputs_size(); ++i) {
    const abi::Input &input = program.inputs(i);
    if (fieldOf[i] < 0)
      return Status::badInput(fmt::format("{}: no field is left for the input '{}' of {}",
                                          dataset.name, input.name(),
                                          abi::elementName(input.block().type())));
    const Field &field = dataset.fields[fieldOf[i]];
    int64_t expected =
        *abi::elementCount(input.block().global_shape()) / input.block().global_shape(0);
    if (field.rowElements() != expected)
      return Status::badInput(
          fmt::format("{}: the input '{}' expects {} elements a row, got {} from the field '{}'",
                      dataset.name, input.name(), expected, field.rowElements(), field.name));
  }
  return fieldOf;
}

} // namespace pcc::runtime
