// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locates the fault in a malformed protobuf file. The protobuf library's parser only reports
// success or failure. After a failure, ReadOnnx walks over the same bytes to find the field, the
// byte, and the kind of fault.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace google::protobuf {
class Descriptor;
}

namespace pcc::import {

/// Position and kind of a fault in bytes that are not a message.
struct WireFault {
  uint64_t byte = 0; ///< offset in the file of the field's tag or length
  std::string field; ///< path of field names: `graph.node[3].input[0]`
  std::string what;  ///< description of the fault for a diagnostic
};

/// Returns the first fault in `bytes`, which should encode a message of type `descriptor`. Messages
/// nested deeper than `depth` are a fault. Returns nothing if the wire format is valid.
std::optional<WireFault> findWireFault(llvm::StringRef bytes,
                                       const google::protobuf::Descriptor &descriptor, int depth);

} // namespace pcc::import
