// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names the place where a protobuf file stops being readable. The protobuf library's parser answers
// only yes or no; after a no, this walk over the same bytes says which field of which message, at
// which byte, and what is wrong with it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace google::protobuf {
class Descriptor;
}

namespace pcc::import {

/// Where and why bytes are not a message.
struct WireFault {
  uint64_t byte = 0; ///< offset in the file of the field's tag or length
  std::string field; ///< path of field names: `graph.node[3].input[0]`
  std::string what;  ///< the fault, in the words of a diagnostic
};

/// The first fault of `bytes` read as a message of type `descriptor`, nesting at most `depth` deep;
/// nothing when the wire format is sound.
std::optional<WireFault> findWireFault(llvm::StringRef bytes,
                                       const google::protobuf::Descriptor &descriptor, int depth);

} // namespace pcc::import
