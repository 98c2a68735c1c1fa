// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case of a file of training steps: a question (a small graph with options) and the answer that
// the reference system's own passes gave. A file is a JSON array of cases.
//
// Each kind of case is judged in a file of its own and adds one row to the table of kinds.
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
  const llvm::json::Object *attributes;       ///< null if it has none
  const llvm::json::Object *object = nullptr; ///< all of it

  /// A list of integers among the attributes; nothing if it is not there.
  std::optional<std::vector<int64_t>> list(llvm::StringRef attribute) const;
  /// An integer among the attributes, which must be there.
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
  std::string category; ///< of the refusal

  /// Reads what all kinds have. Fails with a text on what is no case.
  static llvm::Expected<Case> read(const llvm::json::Value &value);
};

/// The integers of a JSON array.
std::vector<int64_t> integers(const llvm::json::Array &array);

enum class Verdict {
  Same,    ///< as the reference system
  Differs, ///< on purpose; the text says why
  Failed,
  Skipped, ///< not judged yet; the text says what is missing
};

struct Judgement {
  Verdict verdict = Verdict::Same;
  std::string text;
};

/// What our diagnostic says where the reference system refuses for the reason `category`.
struct Refusal {
  llvm::StringLiteral category, text;
};

/// Of a question that the reference system refuses and that gave `error` here, or none: the same if
/// it says the text of a row of the question's category.
Judgement judgeRefusal(const Case &question, llvm::StringRef error,
                       llvm::ArrayRef<Refusal> refusals);

/// A kind of case and how it is judged.
struct Kind {
  llvm::StringLiteral name;
  Judgement (*judge)(const Case &question, mlir::MLIRContext &context);
};

// The kinds, one file each.
Judgement judgeManual(const Case &question, mlir::MLIRContext &context);
/// Of one training step without pipeline.
Judgement judgeStep(const Case &question, mlir::MLIRContext &context);
/// Of which collectives of a step share a message, and of a list of them.
Judgement judgeFusion(const Case &question, mlir::MLIRContext &context);
Judgement judgeSegment(const Case &question, mlir::MLIRContext &context);
/// Of one rank's part of a step in pipeline stages.
Judgement judgePipeline(const Case &question, mlir::MLIRContext &context);
/// A step of several copies of a batch's parts.
Judgement judgeInterleave(const Case &question, mlir::MLIRContext &context);
/// One operator with a strategy, or several with differing ones.
Judgement judgeStrategies(const Case &question, mlir::MLIRContext &context);

} // namespace pcc::conformance
