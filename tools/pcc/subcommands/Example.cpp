// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc example: lists and writes example models.

#include "compiler/example/Example.h"
#include "dialects/graph/Graph.h"
#include "tools/pcc/flags/Session.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/report/WriteModule.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

const example::Example *findExample(llvm::StringRef name) {
  for (const example::Example &each : example::listExamples())
    if (each.name == name)
      return &each;
  return nullptr;
}

std::string describeSizes(const example::Example &model) {
  std::string text;
  for (const example::SizeOption &size : model.sizes)
    text += (text.empty() ? "" : " ") + size.name.str() + "=" +
            (size.value ? std::to_string(size.value) : size.formula.str());
  return text;
}

enum class ElementName { F32, F16, BF16 };

mlir::FloatType typeOf(ElementName name, mlir::MLIRContext &context) {
  switch (name) {
  case ElementName::F32:
    return mlir::Float32Type::get(&context);
  case ElementName::F16:
    return mlir::Float16Type::get(&context);
  case ElementName::BF16:
    return mlir::BFloat16Type::get(&context);
  }
  llvm_unreachable("a type");
}

class ExampleSubcommand : public Subcommand {
public:
  ExampleSubcommand()
      : Subcommand("example", "writes an example model; without a name lists the examples"),
        name(cl::Positional, cl::desc("[NAME]"), cl::Optional, cl::sub(command)),
        output("o", cl::desc("output file: .mlir or .mlirbc (default: stdout)"),
               cl::value_desc("file"), cl::sub(command)),
        settings("set", cl::desc("size of the model, as in --set layers=4 (repeatable)"),
                 cl::value_desc("name=number"), cl::sub(command)),
        type("type",
             cl::desc(
                 "element type of parameters and layers (default: f32); data and scores are f32"),
             cl::init(ElementName::F32),
             cl::values(clEnumValN(ElementName::F32, "f32", ""),
                        clEnumValN(ElementName::F16, "f16", ""),
                        clEnumValN(ElementName::BF16, "bf16", "")),
             cl::sub(command)) {}

  ExitCode run() override {
    if (name.empty())
      return list();
    const example::Example *model = findExample(name);
    if (!model)
      return fail(BadUsage, "no example is called '" + name + "'; 'pcc example' lists them");
    example::Sizes sizes;
    if (ExitCode code = readSizes(*model, sizes))
      return code;
    if (std::string wrong = model->check(sizes); !wrong.empty())
      return fail(BadUsage, wrong);
    if (model->boundElements(sizes) > static_cast<double>(graph::maxElements))
      return fail(BadUsage, "expected a smaller model: a tensor would have more than " +
                                std::to_string(graph::maxElements) + " elements");
    Session session;
    mlir::OwningOpRef<mlir::ModuleOp> module = model->build(sizes, typeOf(type, session.context));
    return writeModel(*module, output);
  }

private:
  ExitCode list() {
    for (const example::Example &each : example::listExamples())
      llvm::outs() << llvm::formatv("{0,-10} {1}\n{2,-10} {3}\n", each.name, each.summary, "",
                                    describeSizes(each));
    return Success;
  }

  ExitCode readSizes(const example::Example &model, example::Sizes &sizes) {
    for (const example::SizeOption &size : model.sizes)
      sizes[size.name] = size.value;
    for (const std::string &setting : settings) {
      auto [key, number] = llvm::StringRef(setting).split('=');
      auto size = sizes.find(key);
      if (size == sizes.end())
        return fail(BadUsage, "expected one of the sizes " + describeSizes(model) + ", got '" +
                                  setting + "'");
      if (number.getAsInteger(10, size->second) || size->second < 1 || size->second > 1 << 20)
        return fail(BadUsage, "expected '" + key + "' from 1 to " + llvm::Twine(1 << 20) +
                                  ", got '" + number + "'");
    }
    return Success;
  }

  cl::opt<std::string> name, output;
  cl::list<std::string> settings;
  cl::opt<ElementName> type;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeExampleSubcommand() {
  return std::make_unique<ExampleSubcommand>();
}
