// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case of a file of training steps: a question (a small graph with options) and the answer that
// MindSpore's own passes gave. A file is a JSON array of cases.
//
// Each kind of case is judged in a file of its own and has one row in the table of kinds.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace pcc::conformance {

/// A node of the question's graph.
struct Node {
  std::string name, op;
  std::vector<std::string> inputs;
  const llvm::json::Object *attributes;       ///< null without attributes
  const llvm::json::Object *object = nullptr; ///< the whole node

  /// Returns the attribute as a list of integers; nothing if it is absent.
  std::optional<std::vector<int64_t>> list(llvm::StringRef attribute) const;
  /// Returns an integer attribute, which must exist.
  int64_t number(llvm::StringRef attribute) const;
  llvm::StringRef text(llvm::StringRef attribute, llvm::StringRef otherwise) const;
};

/// A tensor of the question: an input or a parameter.
struct NamedShape {
  std::string name;
  std::vector<int64_t> shape;
  std::string element = "float32";
};

struct Case {
  const llvm::json::Object *object;
  std::string id, kind, mode;
  int64_t devices = 1;
  std::vector<NamedShape> inputs, parameters;
  std::vector<Node> nodes;
  bool refused = false;
  std::string category; ///< category of the refusal

  /// Reads the members that all kinds have. Fails with a text if `value` is not a case.
  static llvm::Expected<Case> read(const llvm::json::Value &value);
};

/// Returns the integers of a JSON array.
std::vector<int64_t> integers(const llvm::json::Array &array);

enum class Verdict {
  Same,    ///< equal to MindSpore
  Differs, ///< different on purpose; the text gives the reason
  Failed,
  Skipped, ///< not judged yet; the text names what is missing
};

struct Judgement {
  Verdict verdict = Verdict::Same;
  std::string text;
};

/// A text of pcc's diagnostic for MindSpore's refusal reason `category`.
struct Refusal {
  llvm::StringLiteral category, text;
};

/// Judges a question that MindSpore refuses. `error` is pcc's error, or empty. The
/// verdict is Same if `error` contains the text of a row with the question's category.
Judgement judgeRefusal(const Case &question, llvm::StringRef error,
                       llvm::ArrayRef<Refusal> refusals);

/// A kind of case and its judging function.
struct Kind {
  llvm::StringLiteral name;
  Judgement (*judge)(const Case &question, mlir::MLIRContext &context);
};

// Judging functions, one file each.
Judgement judgeManual(const Case &question, mlir::MLIRContext &context);
/// Judges one training step without pipeline.
Judgement judgeStep(const Case &question, mlir::MLIRContext &context);
/// Judges the buckets of a step's collectives; judgeSegment judges those of a list of all-reduces.
Judgement judgeFusion(const Case &question, mlir::MLIRContext &context);
Judgement judgeSegment(const Case &question, mlir::MLIRContext &context);
/// Judges one rank's part of a step with pipeline stages.
Judgement judgePipeline(const Case &question, mlir::MLIRContext &context);
/// Judges a step with several copies of each microbatch.
Judgement judgeInterleave(const Case &question, mlir::MLIRContext &context);
/// Judges one operator with a strategy, or several with different strategies.
Judgement judgeStrategies(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
