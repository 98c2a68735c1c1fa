// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The safetensors format (https://huggingface.co/docs/safetensors): eight bytes with the length of
// a JSON header, little endian; the header; the tensors' bytes without gaps. The header maps each
// name to {"dtype": …, "shape": […], "data_offsets": [begin, end]}, in bytes after the header. The
// compiler reads such files (compiler/import/files/Safetensors.h), the device side writes them.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::abi {

/// Bytes of the length field at the beginning of a file.
inline constexpr uint64_t safetensorsLengthBytes = 8;
/// Maximum header length of the format, which bounds the work of parsing it.
inline constexpr uint64_t maxSafetensorsHeader = 100'000'000;
/// Header key that names no tensor.
inline constexpr std::string_view safetensorsMetadata = "__metadata__";

/// The type of a `dtype`; absent if there is none.
std::optional<ElementType> safetensorsType(std::string_view dtype);

struct SafetensorsEntry {
  std::string name;
  ElementType type = F32;
  std::vector<int64_t> shape;
};

/// Returns the bytes before the data of the given tensors: length and header, padded with blanks to
/// a multiple of eight bytes. The data follows in the order of `entries`.
std::string safetensorsHead(std::span<const SafetensorsEntry> entries);

} // namespace pcc::abi
