// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the chip's name into compute capability and letter, and compares both with the GPU. Code
// for the emulator runs only on the emulator.

#include "runtime/device/cuda/Code.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace pcc::runtime::cuda {
namespace {

/// Parsed chip name: "sm_90a" has capability 9.0 and a letter; the last digit is the minor version.
struct Chip {
  int major = 0, minor = 0;
  bool hasLetter = false;
};

std::optional<Chip> parseChip(std::string_view name) {
  constexpr std::string_view prefix = "sm_";
  if (!name.starts_with(prefix))
    return std::nullopt;
  name.remove_prefix(prefix.size());
  int number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || number < 10)
    return std::nullopt;
  return Chip{number / 10, number % 10, end != name.data() + name.size()};
}

/// Returns whether the GPU is the tests' emulator, whose code has the same name.
bool isEmulator(const std::string &chip, const GpuProperties &gpu) {
  return chip == "emulator" && gpu.name == chip;
}

} // namespace

bool runsMachineCode(const std::string &chip, const GpuProperties &gpu) {
  std::optional<Chip> known = parseChip(chip);
  if (!known)
    return isEmulator(chip, gpu);
  return known->major == gpu.major &&
         (known->hasLetter ? known->minor == gpu.minor : known->minor <= gpu.minor);
}

bool runsPtx(const std::string &chip, const GpuProperties &gpu) {
  std::optional<Chip> known = parseChip(chip);
  if (!known)
    return false;
  return known->hasLetter
             ? known->major == gpu.major && known->minor == gpu.minor
             : std::pair(known->major, known->minor) <= std::pair(gpu.major, gpu.minor);
}

} // namespace pcc::runtime::cuda
