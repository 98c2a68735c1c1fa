// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM sees lists of strings only. Values are parsed here by the field's type, so errors have pcc's
// form. The file comes first, then flags, defaults and ranges.
#include "tools/pcc/flags/MessageFlags.h"

#include "tools/pcc/flags/FieldNames.h"
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

/// Formats a whole number with up to 16 digits completely, any other one as short as possible:
/// `3600`, `0.001`, `1.8e+308`.
static std::string formatNumber(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e16)
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
      values(llvm::StringRef(name), cl::desc(info.help),
             cl::value_desc(isSwitch(field) ? "true|false" : info.valueName),
             isSwitch(field) || info.impliedValue ? cl::ValueOptional : cl::ValueRequired,
             cl::sub(command)),
      aliasName(dashed(findAlias(info.name))) {
  if (!aliasName.empty())
    alias = std::make_unique<cl::alias>(llvm::StringRef(aliasName), cl::desc("alias"),
                                        cl::aliasopt(values), cl::ReallyHidden);
}

MessageFlags::MessageFlags(cl::SubCommand &command, const google::protobuf::Descriptor *type,
                           std::span<const FieldInfo> infos, const OptionsFile *file)
    : infos(infos), file(file) {
  for (const FieldInfo &info : infos)
    flags.push_back(std::make_unique<Flag>(command, type, info));
}

MessageFlags::Flag *MessageFlags::find(llvm::StringRef name) const {
  for (const auto &flag : flags)
    if (flag->info.name == name || flag->name == name)
      return flag.get();
  return nullptr;
}

bool MessageFlags::has(llvm::StringRef field) const {
  const Flag *flag = find(field);
  return flag && isSet(*flag);
}

llvm::StringRef MessageFlags::findGiven(llvm::ArrayRef<llvm::StringRef> except) const {
  for (const auto &flag : flags)
    if (isSet(*flag) && !llvm::is_contained(except, flag->info.name))
      return flag->name;
  return "";
}

ExitCode MessageFlags::refuse(llvm::StringRef name, const llvm::Twine &message) const {
  const Flag *flag = find(name);
  if (!flag || !isFromFile(*flag))
    return fail(BadUsage, "'--" + (flag ? flag->name : name) + "': " + message);
  llvm::errs() << file->findPlace(flag->info.name) << ": error: '" << flag->info.name
               << "': " << message << "\n";
  return BadInput;
}

llvm::cl::Option &MessageFlags::getFlag(llvm::StringRef field) const { return find(field)->values; }

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
    if (field->is_repeated())
      reflection->AddString(&message, field, text.str());
    else
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

ExitCode MessageFlags::read(Message &message) const {
  if (file)
    file->fill(message);
  for (const auto &flag : flags) {
    llvm::ArrayRef<std::string> values = flag->values;
    if (!flag->field->is_repeated() && !values.empty())
      values = values.take_back();
    for (llvm::StringRef text : values) {
      if (text.empty())
        text = isSwitch(flag->field) ? "true" : flag->info.impliedValue;
      std::string expected = setField(message, flag->field, text);
      if (!expected.empty())
        return fail(BadUsage, "'--" + flag->name + "': " + expected + ", got '" + text + "'");
    }
  }
  abi::setDefaults(message, infos);
  for (const auto &flag : flags) {
    std::optional<double> value = numberOf(message, flag->field);
    if (!value || (flag->info.low <= *value && *value <= flag->info.high))
      continue;
    std::string error = "expected " + formatNumber(flag->info.low) + " to " +
                        formatNumber(flag->info.high) + ", got " + formatNumber(*value);
    return refuse(flag->name, error);
  }
  return Success;
}
