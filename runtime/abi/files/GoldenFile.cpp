// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the fingerprint before the message is parsed, and every field afterwards. The checks
// return their problem as text; callers add the name of the field and the file.

#include "runtime/abi/files/GoldenFile.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/WholeFile.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <string_view>

namespace pcc::abi {
namespace {

constexpr std::string_view magic = "pcc.exp\n";

/// Maximum bytes of a message.
constexpr size_t maxBytes = std::numeric_limits<int32_t>::max();

/// Returns the problem of a tensor; empty if it is valid.
std::string checkTensor(const GoldenTensor &tensor) {
  uint64_t element = elementBytes(tensor.type());
  if (element == 0)
    return fmt::format("'{}': expected an element type, got {}", tensor.name(), int(tensor.type()));
  auto count = elementCount(tensor.shape());
  if (!count)
    return fmt::format("'{}': expected a shape, got a negative or too large one", tensor.name());
  // By division, because the multiplication may overflow.
  if (tensor.data().size() % element != 0 || tensor.data().size() / element != uint64_t(*count))
    return fmt::format("'{}': expected {} elements of {} bytes, got {} bytes", tensor.name(),
                       *count, element, tensor.data().size());
  return "";
}

/// Returns the problem of a result; empty if it is valid.
std::string checkResult(const GoldenResult &result, const GoldenResults &golden) {
  if (!(result.tolerance() >= 0))
    return fmt::format("expected a tolerance from 0 on, got {}", result.tolerance());
  switch (result.kind()) {
  case GOLDEN_LOSS:
    if (result.step() < 1 || result.step() > uint32_t(golden.batches_size()))
      return fmt::format("expected a step from 1 to {}, got {}", golden.batches_size(),
                         result.step());
    return result.value().shape_size() == 0 ? "" : "expected a loss without dimensions";
  case GOLDEN_GRADIENT:
  case GOLDEN_PARAMETER:
    return golden.batches_size() > 0 ? "" : "expected a batch of the step that computes it";
  case GOLDEN_OUTPUT:
    return "";
  default:
    return fmt::format("expected a kind, got {}", int(result.kind()));
  }
}

template <typename Tensors> Status checkTensors(const std::string &field, const Tensors &tensors) {
  for (int i = 0; i < tensors.size(); ++i)
    if (std::string wrong = checkTensor(tensors[i]); !wrong.empty())
      return Status::badInput(fmt::format("{}[{}]: {}", field, i, wrong));
  return {};
}

/// Parses the content of a file. Returns the problem, or an empty string.
std::string parse(std::string_view content, GoldenResults &golden) {
  if (!content.starts_with(magic))
    return "no file of golden results: the first 8 bytes are not 'pcc.exp'";
  content.remove_prefix(magic.size());
  uint64_t fingerprint = 0;
  if (content.size() < sizeof fingerprint)
    return "damaged: the file ends within its header";
  std::memcpy(&fingerprint, content.data(), sizeof fingerprint);
  content.remove_prefix(sizeof fingerprint);
  if (uint64_t got = fingerprintOf(content); got != fingerprint)
    return fmt::format("damaged: expected fingerprint {:016x}, got {:016x}", fingerprint, got);
  if (content.size() > maxBytes ||
      !golden.ParseFromArray(content.data(), static_cast<int>(content.size())))
    return "the message behind the header cannot be parsed";
  Status status = validate(golden);
  return status.ok() ? "" : status.message();
}

} // namespace

Status validate(const GoldenResults &golden) {
  Status status = checkTensors("parameters", golden.parameters());
  if (status.ok())
    status = checkTensors("forward_inputs", golden.forward_inputs());
  for (int i = 0; status.ok() && i < golden.batches_size(); ++i)
    status = checkTensors(fmt::format("batches[{}].inputs", i), golden.batches(i).inputs());
  for (int i = 0; status.ok() && i < golden.results_size(); ++i) {
    std::string wrong = checkTensor(golden.results(i).value());
    if (wrong.empty())
      wrong = checkResult(golden.results(i), golden);
    if (!wrong.empty())
      status = Status::badInput(fmt::format("results[{}]: {}", i, wrong));
  }
  if (status.ok() && golden.results_size() == 0)
    return Status::badInput("expected results, got none");
  return status;
}

Expected<GoldenResults> readGoldenResults(const std::string &path) {
  Expected<std::string> content = readFile(path);
  if (!content)
    return content.status();
  GoldenResults golden;
  if (std::string wrong = parse(*content, golden); !wrong.empty())
    return Status::badInput(path + ": " + wrong);
  return golden;
}

Status writeGoldenResults(const GoldenResults &golden, const std::string &path) {
  // Protobuf cannot serialize larger messages.
  if (size_t bytes = golden.ByteSizeLong(); bytes > maxBytes)
    return Status::badInput(
        fmt::format("{}: expected values of at most {} bytes, got {}", path, maxBytes, bytes));
  std::string message = golden.SerializeAsString(), header(magic);
  uint64_t fingerprint = fingerprintOf(message);
  header.append(reinterpret_cast<const char *>(&fingerprint), sizeof fingerprint);
  return writeFile(path, header + message);
}

} // namespace pcc::abi
