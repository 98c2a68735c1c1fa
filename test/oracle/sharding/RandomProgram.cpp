// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/RandomProgram.h"

#include "test/oracle/sharding/Partitioned.h"

namespace pcc::test {
namespace {

/// Writes ops one after the other; every value may be used again by any later op.
class Writer {
public:
  Writer(const dist::Mesh &mesh, std::mt19937_64 &random) : mesh(mesh), random(random) {}

  std::string write(int64_t numOps) {
    for (const char *name : {"%a", "%b"})
      addArgument(name, matrix, matrices);
    addArgument("%v", vector, vectors);
    for (int64_t index = 0; index < numOps; ++index)
      addOp();
    std::string results = matrices.back() + ", " + vectors.back();
    return "func.func @program(" + arguments + ") -> (" + typeText(matrix) + " " +
           markText(pickSharding(matrix, mesh, random)) + ", " + typeText(vector) + " " +
           markText(pickSharding(vector, mesh, random)) + ") {\n" + body + "  return " + results +
           " : " + typeText(matrix) + ", " + typeText(vector) + "\n}\n";
  }

private:
  void addArgument(const std::string &name, llvm::ArrayRef<int64_t> shape,
                   std::vector<std::string> &values) {
    arguments += (arguments.empty() ? "" : ", ") + name + ": " + typeText(shape) + " " +
                 markText(pickSharding(shape, mesh, random));
    values.push_back(name);
  }

  std::string pick(const std::vector<std::string> &values) {
    return values[random() % values.size()];
  }

  std::string define(const std::string &op) {
    std::string name = "%" + std::to_string(numValues++);
    body += "  " + name + " = graph." + op + "\n";
    return name;
  }

  void addOp() {
    std::string m = typeText(matrix), v = typeText(vector);
    switch (random() % 12) {
    case 0: { // scaled, so that chains of products stay in range
      std::string product =
          define("matmul " + pick(matrices) + ", " + pick(matrices) + " : " + m + ", " + m);
      matrices.push_back(define("tanh " + product + " : " + m));
      break;
    }
    case 1:
      matrices.push_back(define("add " + pick(matrices) + ", " + pick(matrices) + " : " + m));
      break;
    case 2:
      matrices.push_back(define("sub " + pick(matrices) + ", " + pick(matrices) + " : " + m));
      break;
    case 3:
      matrices.push_back(define("relu " + pick(matrices) + " : " + m));
      break;
    case 4:
      matrices.push_back(define("transpose " + pick(matrices) + ", [1, 0] : " + m));
      break;
    case 5:
      matrices.push_back(define("broadcast " + pick(vectors) + ", [1] : " + v + " to " + m));
      break;
    case 6:
      vectors.push_back(define("reduce mean " + pick(matrices) + ", [0] : " + m));
      break;
    case 7:
      vectors.push_back(define("add " + pick(vectors) + ", " + pick(vectors) + " : " + v));
      break;
    case 8:
      matrices.push_back(define("softmax " + pick(matrices) + " axis = 1 : " + m));
      break;
    case 9:
      matrices.push_back(define("max " + pick(matrices) + ", " + pick(matrices) + " : " + m));
      break;
    case 10:
      vectors.push_back(define("reduce max " + pick(matrices) + ", [1] : " + m));
      break;
    case 11:
      vectors.push_back(define("min " + pick(vectors) + ", " + pick(vectors) + " : " + v));
      break;
    }
  }

  static constexpr int64_t matrix[] = {24, 24}, vector[] = {24};
  const dist::Mesh &mesh;
  std::mt19937_64 &random;
  std::string arguments, body;
  std::vector<std::string> matrices, vectors;
  int64_t numValues = 0;
};

} // namespace

std::string makeRandomProgram(const dist::Mesh &mesh, int64_t numOps, std::mt19937_64 &random) {
  return Writer(mesh, random).write(numOps);
}

} // namespace pcc::test
