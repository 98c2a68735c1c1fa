// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/ParallelFlags.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "tools/pcc/ConfigFile.h"
#include "tools/pcc/Output.h"

using namespace pcc::cli;
using google::protobuf::FieldDescriptor;
namespace cl = llvm::cl;

namespace {

/// What the message itself does not say about a field. Numbers lie in [low, high].
struct FieldInfo {
  const char *name;
  const char *help;
  int64_t defaultValue, low, high;
};

constexpr int64_t mostRanks = 4096;
constexpr int64_t mostSlots = 1 << 20;

constexpr FieldInfo fieldInfos[] = {
    {"device_num", "number of ranks", 1, 1, mostRanks},
    {"global_rank", "the rank whose program --emit prints", 0, 0, mostRanks - 1},
    {"parallel_mode", "stand_alone or data_parallel", 0, 0, 0},
    {"gradients_mean", "average gradients over the ranks instead of adding them", 0, 0, 0},
    {"full_batch", "feed the whole batch to every rank", 0, 0, 0},
    {"micro_batches", "microbatches that a step accumulates", 1, 1, mostSlots},
    {"interleave_num", "copies of each microbatch", 1, 1, mostSlots},
    {"micro_reduction", "sum or mean over microbatches and copies", 0, 0, 0},
};

const FieldDescriptor *descriptorOf(const FieldInfo &info) {
  return pcc::abi::ParallelConfig::descriptor()->FindFieldByName(info.name);
}

std::string flagName(llvm::StringRef field) {
  std::string name = field.str();
  llvm::replace(name, '_', '-');
  return name;
}

/// Reads `text` into a field; the answer is empty or says what was expected.
std::string setField(pcc::abi::ParallelConfig &config, const FieldDescriptor *field,
                     llvm::StringRef text) {
  const google::protobuf::Reflection *reflection = config.GetReflection();
  if (field->type() == FieldDescriptor::TYPE_BOOL) {
    if (!text.equals_insensitive("true") && !text.equals_insensitive("false"))
      return "expected true or false";
    reflection->SetBool(&config, field, text.equals_insensitive("true"));
    return "";
  }
  if (field->type() == FieldDescriptor::TYPE_ENUM) {
    if (auto *value = findEnumValue(field->enum_type(), text)) {
      reflection->SetEnum(&config, field, value);
      return "";
    }
    return "expected " + enumValueNames(field->enum_type());
  }
  int32_t number;
  if (text.getAsInteger(10, number))
    return "expected an integer";
  reflection->SetInt32(&config, field, number);
  return "";
}

/// The range of a number that is outside it, else empty.
std::string rangeError(const pcc::abi::ParallelConfig &config, const FieldInfo &info) {
  const FieldDescriptor *field = descriptorOf(info);
  if (field->type() != FieldDescriptor::TYPE_INT32)
    return "";
  int64_t value = config.GetReflection()->GetInt32(config, field);
  int64_t high = info.name == llvm::StringRef("global_rank") ? config.device_num() - 1 : info.high;
  if (value >= info.low && value <= high)
    return "";
  return llvm::formatv("expected {0} to {1}, got {2}", info.low, high, value);
}

} // namespace

ParallelFlags::ParallelFlags(cl::SubCommand &command)
    : file("config", cl::desc("options as a file: .textproto or .json"), cl::value_desc("file"),
           cl::sub(command)) {
  for (const FieldInfo &info : fieldInfos) {
    bool isSwitch = descriptorOf(info)->type() == FieldDescriptor::TYPE_BOOL;
    fields.push_back(std::make_unique<cl::opt<std::string>>(
        cl::desc(info.help), cl::value_desc(isSwitch ? "true|false" : "value"), cl::sub(command),
        isSwitch ? cl::ValueOptional : cl::ValueRequired));
    // The option keeps a reference to its name, so it must live as long as the option.
    static std::vector<std::unique_ptr<std::string>> names;
    names.push_back(std::make_unique<std::string>(flagName(info.name)));
    fields.back()->setArgStr(*names.back());
  }
}

ExitCode ParallelFlags::read(abi::ParallelConfig &config) const {
  if (!file.empty())
    if (ExitCode code = readConfigFile(file, config))
      return code;

  // A value out of range is the user's flag if there is one, else the file's.
  for (auto [info, flag] : llvm::zip_equal(fieldInfos, fields)) {
    const FieldDescriptor *field = descriptorOf(info);
    if (flag->getNumOccurrences()) {
      std::string text = flag->empty() ? "true" : flag->getValue();
      std::string expected = setField(config, field, text);
      if (!expected.empty())
        return fail(BadUsage, "'--" + flag->ArgStr + "': " + expected + ", got '" + text + "'");
    } else if (field->type() == FieldDescriptor::TYPE_INT32 &&
               !config.GetReflection()->HasField(config, field)) {
      config.GetReflection()->SetInt32(&config, field, info.defaultValue);
    }
  }
  for (auto [info, flag] : llvm::zip_equal(fieldInfos, fields)) {
    std::string error = rangeError(config, info);
    if (error.empty())
      continue;
    if (flag->getNumOccurrences() || file.empty())
      return fail(BadUsage, "'--" + flag->ArgStr + "': " + error);
    return fail(BadInput, file + ": '" + info.name + "': " + error);
  }
  return Success;
}

std::string pcc::cli::describe(const abi::ParallelConfig &config) {
  std::string text;
  for (const FieldInfo &info : fieldInfos) {
    const FieldDescriptor *field = descriptorOf(info);
    const auto *reflection = config.GetReflection();
    std::string value;
    if (field->type() == FieldDescriptor::TYPE_BOOL)
      value = reflection->GetBool(config, field) ? "true" : "false";
    else if (field->type() == FieldDescriptor::TYPE_ENUM)
      value = reflection->GetEnum(config, field)->name();
    else
      value = std::to_string(reflection->GetInt32(config, field));
    text += (text.empty() ? "--" : " --") + flagName(info.name) + "=" + value;
  }
  return text;
}
