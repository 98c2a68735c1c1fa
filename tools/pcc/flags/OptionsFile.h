// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of options (`--config`, or in place of MODEL): the fields of ModelConfig, CompileConfig,
// ClusterConfig, ParallelConfig, RunConfig and CheckpointConfig side by side, as their flags stand
// side by side on a command line.
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <memory>
#include <string>

namespace pcc::cli {

class OptionsFile {
public:
  /// Reads the file; `.json` as JSON, else as text. Returns BadInput after an error with file, line
  /// and column.
  ExitCode read(llvm::StringRef path);

  /// Returns the path; empty before read().
  llvm::StringRef getPath() const { return path; }

  /// Returns whether the file sets `field`.
  bool has(llvm::StringRef field) const;

  /// Sets those fields of `message` that the file sets.
  void fill(google::protobuf::Message &message) const;

  /// Returns the place of a field that the file sets: "train.textproto:3:1", for JSON only the
  /// path.
  std::string findPlace(llvm::StringRef field) const;

private:
  std::string path;
  std::unique_ptr<google::protobuf::Message> options; ///< null before read()
  google::protobuf::TextFormat::ParseInfoTree places;
};

/// Returns the content of a file that sets all fields of `messages`, without empty texts and absent
/// numbers.
std::string formatOptions(llvm::ArrayRef<const google::protobuf::Message *> messages);

} // namespace pcc::cli
