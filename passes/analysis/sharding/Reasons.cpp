// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons and requests: their texts, and their form as attributes.
#include "passes/analysis/sharding/Reasons.h"

#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "passes/analysis/names/OpNames.h"

using namespace mlir;
using namespace pcc;

namespace pcc::analysis {

//===-- Reasons ------------------------------------------------------------------------------===//

Reasons Reasons::makeWhole(MLIRContext *context, const Twine &cause) {
  Reasons reasons;
  reasons.whole = StringAttr::get(context, cause);
  return reasons;
}

// Reasons and requests are metadata of a fused location around another one: a dictionary with an
// entry of one of these names.
static constexpr llvm::StringLiteral reasonTag = "dist.reason", requestTag = "dist.request";

/// Returns the metadata of a fused location that has an entry `tag`; null for other locations.
static DictionaryAttr findMetadata(Location location, StringRef tag) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto entries = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : DictionaryAttr();
  return entries && entries.contains(tag) ? entries : DictionaryAttr();
}

Reasons Reasons::read(Location location) {
  Reasons reasons;
  DictionaryAttr entries = findMetadata(location, reasonTag);
  if (!entries)
    return reasons;
  Attribute attribute = entries.get(reasonTag);
  reasons.whole = dyn_cast<StringAttr>(attribute);
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute))
    for (NamedAttribute entry : dictionary)
      if (auto cause = dyn_cast<StringAttr>(entry.getValue()))
        reasons.axes.push_back({entry.getName(), StringAttr(), cause});
  return reasons;
}

StringAttr Reasons::findCause(StringRef axis) const {
  if (whole)
    return whole;
  const auto *found =
      llvm::find_if(axes, [&](const Entry &entry) { return entry.axis.getValue() == axis; });
  return found == axes.end() ? StringAttr() : found->cause;
}

void Reasons::follow(StringRef axis, const Twine &leader, const Reasons &reasonsOfLeader,
                     MLIRContext *context) {
  if (llvm::any_of(axes, [&](const Entry &entry) { return entry.axis.getValue() == axis; }))
    return;
  axes.push_back({StringAttr::get(context, axis), StringAttr::get(context, leader),
                  reasonsOfLeader.findCause(axis)});
}

Reasons Reasons::replaceAxis(StringRef axis, ArrayRef<std::string> pieces) const {
  Reasons replaced;
  replaced.whole = whole;
  for (const Entry &entry : axes) {
    if (entry.axis.getValue() != axis) {
      replaced.axes.push_back(entry);
      continue;
    }
    for (const std::string &piece : pieces)
      replaced.axes.push_back(
          {StringAttr::get(entry.axis.getContext(), piece), entry.leader, entry.cause});
  }
  return replaced;
}

std::string Reasons::describe(StringRef axis) const {
  if (whole)
    return whole.str();
  for (const Entry &entry : axes) {
    if (entry.axis.getValue() != axis)
      continue;
    if (!entry.leader)
      return entry.cause.str();
    std::string text = "follows " + entry.leader.str();
    return entry.cause ? text + " (" + entry.cause.str() + ")" : text;
  }
  return "";
}

std::string Reasons::str() const {
  if (whole)
    return whole.str();
  std::string text;
  for (const Entry &entry : axes)
    text += (text.empty() ? "" : "; ") + entry.axis.str() + ": " + describe(entry.axis);
  return text;
}

Location Reasons::addTo(Location location) const {
  MLIRContext *context = location.getContext();
  if (findMetadata(location, reasonTag))
    location = cast<FusedLoc>(location).getLocations().front();
  if (isEmpty())
    return location;
  NamedAttrList entries, byAxis;
  for (const Entry &entry : axes)
    byAxis.set(entry.axis, StringAttr::get(context, describe(entry.axis)));
  entries.set(reasonTag, whole ? Attribute(whole) : byAxis.getDictionary(context));
  return FusedLoc::get({location}, entries.getDictionary(context), context);
}

std::string quote(const Twine &name) { return ("'" + name + "'").str(); }

std::string describeValue(Value value) {
  if (Operation *op = value.getDefiningOp())
    return quote(getName(op));
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  graph::RoleAttr role =
      function ? graph::getArgRole(function, argument.getArgNumber()) : graph::RoleAttr();
  std::string name = graph::getName(role).str();
  if (name.empty())
    return "argument " + std::to_string(argument.getArgNumber());
  bool isGradient = role.getKind() == graph::RoleKind::Gradient;
  return graph::stringifyRoleKind(role.getKind()).str() + (isGradient ? " of " : " ") + quote(name);
}

//===-- Requests -----------------------------------------------------------------------------===//

/// The texts of a request, by key.
template <typename RequestT, typename Visit>
static void forEachText(RequestT &request, Visit visit) {
  visit("from", request.from);
  visit("from_reason", request.fromReason);
  visit("reader", request.reader);
  visit("reader_location", request.readerLocation);
  visit("to", request.to);
  visit("to_reason", request.toReason);
}

Location withRequest(Location location, const Request &request) {
  Builder builder(location.getContext());
  NamedAttrList entries;
  entries.set(requestTag, builder.getStringAttr(request.value));
  entries.set("readers", builder.getI64IntegerAttr(request.readers));
  forEachText(request, [&](StringRef key, const std::string &text) {
    if (!text.empty())
      entries.set(key, builder.getStringAttr(text));
  });
  return FusedLoc::get({location}, entries.getDictionary(builder.getContext()),
                       builder.getContext());
}

std::optional<Request> findRequest(Location location) {
  std::optional<Request> request;
  location->walk([&](Location inner) {
    DictionaryAttr entries = findMetadata(inner, requestTag);
    if (!entries)
      return WalkResult::advance();
    request.emplace();
    if (auto value = entries.getAs<StringAttr>(requestTag))
      request->value = value.str();
    if (auto readers = entries.getAs<IntegerAttr>("readers"))
      request->readers = readers.getInt();
    forEachText(*request, [&](StringRef key, std::string &text) {
      if (auto entry = entries.getAs<StringAttr>(key))
        text = entry.str();
    });
    return WalkResult::interrupt();
  });
  return request;
}

} // namespace pcc::analysis
