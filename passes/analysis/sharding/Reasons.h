// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why ops and values have their shardings, and who asked for a reshard.
//
// A strategy states its reasons where it decides: in the location of each op and of each function's
// argument, around the location that it had. A reason is one for the whole sharding, or one for
// each mesh axis that the sharding uses:
//
//   loc(fused<{dist.reason = "constraint \"fc1\" at c.textproto:3"}>["fc1"("model.onnx":0:0)])
//   loc(fused<{dist.reason = {dp = "follows input 'x' (dataset_strategy)",
//                             tp = "follows parameter 'w' (constraint \"w\" at
//                             c.textproto:2)"}}>[…])
//
// Phase spmd inserts a reshard where two such decisions meet. It records both as a request in the
// location of the reshard, and so of its collectives. Locations survive every pass and change no
// program, so the instructions of the last phase still say who asked.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace pcc::analysis {

/// Reasons of one sharding.
class Reasons {
public:
  Reasons() = default;
  /// One reason for the whole sharding.
  static Reasons makeWhole(mlir::MLIRContext *context, const llvm::Twine &cause);
  /// Reads the reasons in a location; none if it has none.
  static Reasons read(mlir::Location location);
  /// Reads the reasons of the op that defines `value`, or of the function's argument.
  static Reasons ofValue(mlir::Value value) { return read(value.getLoc()); }

  bool isEmpty() const { return !whole && axes.empty(); }
  /// Whether one reason holds for the whole sharding.
  bool isWhole() const { return bool(whole); }
  /// States that `axis` is used as in the sharding of `leader`, which has the given reasons. The
  /// first leader of an axis counts.
  void follow(llvm::StringRef axis, const llvm::Twine &leader, const Reasons &reasonsOfLeader,
              mlir::MLIRContext *context);
  /// Returns the same reasons with those for an axis repeated for each of its pieces.
  Reasons replaceAxis(llvm::StringRef axis, llvm::ArrayRef<std::string> pieces) const;
  /// Returns the reason for the use of `axis`; empty if there is none.
  std::string describe(llvm::StringRef axis) const;
  /// Returns all reasons as one line: `dp: follows input 'x'; tp: constraint "w"`.
  std::string str() const;
  /// Puts the reasons into the location of an op or an argument, instead of those that it has.
  void annotate(mlir::Operation *op) const { op->setLoc(addTo(op->getLoc())); }
  void annotate(mlir::BlockArgument argument) const { argument.setLoc(addTo(argument.getLoc())); }

private:
  mlir::Location addTo(mlir::Location location) const;

  struct Entry {
    mlir::StringAttr axis, leader; ///< no leader: the axis was decided here
    mlir::StringAttr cause;        ///< decision at the origin of the axis; may be null
  };

  mlir::StringAttr findCause(llvm::StringRef axis) const;

  mlir::StringAttr whole;
  llvm::SmallVector<Entry, 2> axes;
};

/// Returns a name as reasons and requests show it: `'fc1/matmul'`.
std::string quote(const llvm::Twine &name);

/// Returns how users know a value: `'fc1/matmul'`, `parameter 'w'`, `input 'x'`, `gradient of 'w'`.
std::string describeValue(mlir::Value value);

/// Why a value is moved. docs/spec/cli.md describes the texts.
struct Request {
  std::string value;          ///< as describeValue returns it
  std::string from, to;       ///< shardings; empty if an op moves data inside
  std::string fromReason;     ///< why the value is made in `from`
  std::string reader;         ///< the first op or result that reads the value in `to`
  std::string readerLocation; ///< its line in the user's program; may be empty
  int64_t readers = 1;        ///< number of ops and results that read it in `to`
  std::string toReason;       ///< why the reader wants `to`
};

/// Returns `location` with a request.
mlir::Location withRequest(mlir::Location location, const Request &request);
/// Returns the outermost request in `location`; nothing if it has none.
std::optional<Request> findRequest(mlir::Location location);

} // namespace pcc::analysis
