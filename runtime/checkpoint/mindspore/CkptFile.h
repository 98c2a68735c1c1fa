// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads MindSpore's `.ckpt` files, those that `mindspore.save_checkpoint` writes. A file is one
// protobuf message without an end of its own, so it may be larger than protobuf's limit of 2 GiB.
//
//   Checkpoint { repeated Value value = 1; }
//   Value { string tag = 1; TensorProto tensor = 2; }
//   TensorProto { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3; }

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"
#include "runtime/base/MappedFile.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::runtime {

/// A tensor of a file.
struct CkptTensor {
  std::string name;
  abi::ElementType type = abi::F32;
  std::vector<int64_t> shape;
  /// The elements, row-major, one part behind the other: MindSpore cuts tensors above 512 MiB. None
  /// for a tensor without elements.
  std::vector<std::string_view> chunks;
};

/// A file and its tensors.
struct CkptFile {
  std::shared_ptr<const MappedFile> file; ///< in which the tensors lie
  std::vector<CkptTensor> tensors;
};

/// Reads the tensors of a file in its order, without texts and states of random numbers. Errors
/// (BadInput) name the file: not MindSpore's or encrypted, damaged, a tensor of an unknown type or
/// of the wrong size, two tensors of one name.
Expected<CkptFile> readCkpt(const std::string &path);

} // namespace pcc::runtime
