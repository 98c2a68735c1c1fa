// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM sees string options only. Values are parsed here by the field's type, so errors have pcc's
// form. Flags come first, then defaults, then ranges.
#include "tools/pcc/flags/MessageFlags.h"

#include "tools/pcc/flags/ConfigFile.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace pcc::cli;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
namespace cl = llvm::cl;

static std::string dashed(llvm::StringRef name) {
  std::string result = name.str();
  llvm::replace(result, '_', '-');
  return result;
}

/// Formats a whole number with all digits, any other one as short as possible: `3600`, `0.001`.
static std::string formatNumber(double number) {
  if (number == std::floor(number))
    return llvm::formatv("{0:f0}", number);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

static bool isSwitch(const FieldDescriptor *field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL;
}

MessageFlags::Flag::Flag(cl::SubCommand &command, const google::protobuf::Descriptor *type,
                         const FieldInfo &info)
    : info(info), field(type->FindFieldByName(info.name)), name(dashed(info.name)),
      option(llvm::StringRef(name), cl::desc(info.help),
             cl::value_desc(isSwitch(field) ? "true|false" : "value"),
             isSwitch(field) || info.impliedValue ? cl::ValueOptional : cl::ValueRequired,
             cl::sub(command)),
      aliasName(dashed(findAlias(info.name))) {
  if (!aliasName.empty())
    alias = std::make_unique<cl::alias>(llvm::StringRef(aliasName), cl::desc("alias"),
                                        cl::aliasopt(option), cl::ReallyHidden);
}

MessageFlags::MessageFlags(cl::SubCommand &command, const google::protobuf::Descriptor *type,
                           std::span<const FieldInfo> infos)
    : infos(infos) {
  for (const FieldInfo &info : infos)
    flags.push_back(std::make_unique<Flag>(command, type, info));
}

bool MessageFlags::has(llvm::StringRef field) const {
  return llvm::any_of(flags, [&](const auto &flag) {
    return flag->info.name == field && flag->option.getNumOccurrences();
  });
}

llvm::StringRef MessageFlags::givenFlag(llvm::ArrayRef<llvm::StringRef> except) const {
  for (const auto &flag : flags)
    if (flag->option.getNumOccurrences() && !llvm::is_contained(except, flag->info.name))
      return flag->name;
  return "";
}

/// Reads `text` into `field`. Returns an empty string, or what was expected.
static std::string setField(Message &message, const FieldDescriptor *field, llvm::StringRef text) {
  const google::protobuf::Reflection *reflection = message.GetReflection();
  int32_t int32;
  int64_t int64;
  uint64_t uint64;
  double number;
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_BOOL:
    if (!text.equals_insensitive("true") && !text.equals_insensitive("false"))
      return "expected true or false";
    reflection->SetBool(&message, field, text.equals_insensitive("true"));
    return "";
  case FieldDescriptor::CPPTYPE_ENUM: {
    const auto *value = findEnumValue(field->enum_type(), text);
    if (!value)
      return "expected " + enumValueNames(field->enum_type());
    reflection->SetEnum(&message, field, value);
    return "";
  }
  case FieldDescriptor::CPPTYPE_INT32:
    if (text.getAsInteger(10, int32))
      return "expected an integer";
    reflection->SetInt32(&message, field, int32);
    return "";
  case FieldDescriptor::CPPTYPE_INT64:
    if (text.getAsInteger(10, int64))
      return "expected an integer";
    reflection->SetInt64(&message, field, int64);
    return "";
  case FieldDescriptor::CPPTYPE_UINT64:
    if (text.getAsInteger(10, uint64))
      return "expected an integer that is not negative";
    reflection->SetUInt64(&message, field, uint64);
    return "";
  case FieldDescriptor::CPPTYPE_DOUBLE:
    if (text.getAsDouble(number))
      return "expected a number";
    reflection->SetDouble(&message, field, number);
    return "";
  default:
    reflection->SetString(&message, field, text.str());
    return "";
  }
}

/// Returns the value of a field as a number; nothing for a field of another type.
static std::optional<double> numberOf(const Message &message, const FieldDescriptor *field) {
  const google::protobuf::Reflection *reflection = message.GetReflection();
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    return reflection->GetInt32(message, field);
  case FieldDescriptor::CPPTYPE_INT64:
    return static_cast<double>(reflection->GetInt64(message, field));
  case FieldDescriptor::CPPTYPE_DOUBLE:
    return reflection->GetDouble(message, field);
  default:
    return std::nullopt;
  }
}

ExitCode MessageFlags::read(Message &message, llvm::StringRef file) const {
  for (const auto &flag : flags) {
    if (!flag->option.getNumOccurrences())
      continue;
    std::string text = flag->option;
    if (isSwitch(flag->field) && text.empty())
      text = "true";
    if (flag->info.impliedValue && text.empty())
      text = flag->info.impliedValue;
    std::string expected = setField(message, flag->field, text);
    if (!expected.empty())
      return fail(BadUsage, "'--" + flag->name + "': " + expected + ", got '" + text + "'");
  }
  abi::setDefaults(message, infos);
  for (const auto &flag : flags) {
    std::optional<double> value = numberOf(message, flag->field);
    if (!value || (flag->info.low <= *value && *value <= flag->info.high))
      continue;
    std::string error = "expected " + formatNumber(flag->info.low) + " to " +
                        formatNumber(flag->info.high) + ", got " + formatNumber(*value);
    if (flag->option.getNumOccurrences() || file.empty())
      return fail(BadUsage, "'--" + flag->name + "': " + error);
    return fail(BadInput, file + ": '" + flag->info.name + "': " + error);
  }
  return Success;
}
