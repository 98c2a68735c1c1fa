// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the type of such a file at run time, from the descriptors of the messages, so that a field
// is declared once. The type follows proto2, in which every field tells whether it was set.
#include "tools/pcc/flags/OptionsFile.h"

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/abi/compile.pb.h"
#include "runtime/abi/config.pb.h"
#include "tools/pcc/flags/FieldNames.h"
#include "tools/pcc/flags/MessageFile.h"
#include "llvm/ADT/STLExtras.h"
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

using namespace pcc::cli;
namespace abi = pcc::abi;
namespace proto = google::protobuf;
using proto::FieldDescriptor;
using proto::Message;

/// Adds the fields of `type` that `all` lacks.
static void addFields(proto::DescriptorProto &all, const proto::Descriptor *type) {
  for (int i = 0; i < type->field_count(); ++i) {
    proto::FieldDescriptorProto field;
    type->field(i)->CopyTo(&field);
    auto hasName = [&](const auto &other) { return other.name() == field.name(); };
    if (llvm::any_of(all.field(), hasName))
      continue;
    field.set_number(all.field_size() + 1);
    field.clear_proto3_optional();
    field.clear_oneof_index();
    *all.add_field() = std::move(field);
  }
}

namespace {
/// The type of a file of options.
class OptionsType {
public:
  OptionsType() : pool(proto::DescriptorPool::generated_pool()), factory(&pool) {
    const proto::Descriptor *parts[] = {
        abi::ModelConfig::descriptor(),   abi::CompileConfig::descriptor(),
        abi::ClusterConfig::descriptor(), abi::ParallelConfig::descriptor(),
        abi::RunConfig::descriptor(),     abi::CheckpointConfig::descriptor()};
    proto::FileDescriptorProto file;
    file.set_name("pcc/options.proto");
    file.set_package("pcc");
    proto::DescriptorProto &all = *file.add_message_type();
    all.set_name("Options");
    for (const proto::Descriptor *part : parts) {
      if (!llvm::is_contained(file.dependency(), part->file()->name()))
        file.add_dependency(part->file()->name());
      addFields(all, part);
    }
    prototype = factory.GetPrototype(pool.BuildFile(file)->message_type(0));
  }

  std::unique_ptr<Message> make() const { return std::unique_ptr<Message>(prototype->New()); }

private:
  proto::DescriptorPool pool;
  proto::DynamicMessageFactory factory;
  const Message *prototype;
};
} // namespace

static std::unique_ptr<Message> makeOptions() {
  static const OptionsType type;
  return type.make();
}

/// Sets the field `target` of `to` to the value of `source` in `from`, a field of the same type.
static void copyField(const Message &from, const FieldDescriptor *source, Message &to,
                      const FieldDescriptor *target) {
  const proto::Reflection *in = from.GetReflection(), *out = to.GetReflection();
  if (source->is_repeated()) {
    for (int i = 0; i < in->FieldSize(from, source); ++i)
      out->AddString(&to, target, in->GetRepeatedString(from, source, i));
    return;
  }
  switch (source->cpp_type()) {
  case FieldDescriptor::CPPTYPE_BOOL:
    return out->SetBool(&to, target, in->GetBool(from, source));
  case FieldDescriptor::CPPTYPE_ENUM:
    return out->SetEnumValue(&to, target, in->GetEnumValue(from, source));
  case FieldDescriptor::CPPTYPE_INT32:
    return out->SetInt32(&to, target, in->GetInt32(from, source));
  case FieldDescriptor::CPPTYPE_INT64:
    return out->SetInt64(&to, target, in->GetInt64(from, source));
  case FieldDescriptor::CPPTYPE_UINT64:
    return out->SetUInt64(&to, target, in->GetUInt64(from, source));
  case FieldDescriptor::CPPTYPE_DOUBLE:
    return out->SetDouble(&to, target, in->GetDouble(from, source));
  default:
    return out->SetString(&to, target, in->GetString(from, source));
  }
}

static bool isSet(const Message &message, const FieldDescriptor *field) {
  const proto::Reflection *reflection = message.GetReflection();
  return field->is_repeated() ? reflection->FieldSize(message, field) > 0
                              : reflection->HasField(message, field);
}

ExitCode OptionsFile::read(llvm::StringRef file) {
  path = file.str();
  options = makeOptions();
  return readMessageFile(path, *options, &places);
}

bool OptionsFile::has(llvm::StringRef name) const {
  const FieldDescriptor *field =
      options ? options->GetDescriptor()->FindFieldByName(name.str()) : nullptr;
  return field && isSet(*options, field);
}

void OptionsFile::fill(Message &message) const {
  if (!options)
    return;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor *target = message.GetDescriptor()->field(i);
    const FieldDescriptor *source = options->GetDescriptor()->FindFieldByName(target->name());
    if (source && isSet(*options, source))
      copyField(*options, source, message, target);
  }
}

std::string OptionsFile::findPlace(llvm::StringRef name) const {
  const FieldDescriptor *field = options->GetDescriptor()->FindFieldByName(name.str());
  auto place = places.GetLocation(field, field->is_repeated() ? 0 : -1);
  if (place.line < 0)
    return path;
  return path + ":" + std::to_string(place.line + 1) + ":" + std::to_string(place.column + 1);
}

namespace {
/// Prints the values of an enumeration as users write them: `data_parallel`.
class EnumPrinter : public proto::TextFormat::FastFieldValuePrinter {
public:
  explicit EnumPrinter(const proto::EnumDescriptor *type) : type(type) {}

  void PrintEnum(int32_t value, const std::string &,
                 proto::TextFormat::BaseTextGenerator *text) const override {
    text->PrintString(shortEnumName(type->FindValueByNumber(value)));
  }

private:
  const proto::EnumDescriptor *type;
};
} // namespace

std::string pcc::cli::formatOptions(llvm::ArrayRef<const Message *> messages) {
  std::unique_ptr<Message> options = makeOptions();
  proto::TextFormat::Printer printer;
  for (const Message *message : messages)
    for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor *source = message->GetDescriptor()->field(i);
      const FieldDescriptor *target = options->GetDescriptor()->FindFieldByName(source->name());
      bool isText = source->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
      if (!isSet(*message, source) && (isText || source->has_presence()))
        continue;
      copyField(*message, source, *options, target);
      if (target->enum_type()) // the printer takes ownership
        printer.RegisterFieldValuePrinter(target, new EnumPrinter(target->enum_type()));
    }
  std::string text;
  printer.PrintToString(*options, &text);
  return text;
}
