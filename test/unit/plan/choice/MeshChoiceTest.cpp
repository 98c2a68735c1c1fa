// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/MeshChoice.h"

#include <gtest/gtest.h>

using namespace pcc;

static std::vector<std::string> list(int64_t devices, size_t maxAxes) {
  std::vector<std::string> texts;
  for (const dist::Mesh &mesh : plan::listMeshes(devices, maxAxes))
    texts.push_back(mesh.str());
  return texts;
}

TEST(MeshChoice, ListsEveryArrangementOnce) {
  EXPECT_EQ(list(8, 3), (std::vector<std::string>{"x=8", "x=2, y=4", "x=4, y=2", "x=2, y=2, z=2"}));
  EXPECT_EQ(list(6, 2), (std::vector<std::string>{"x=6", "x=2, y=3", "x=3, y=2"}));
  EXPECT_EQ(list(7, 3), (std::vector<std::string>{"x=7"}));
  EXPECT_EQ(list(1, 2), (std::vector<std::string>{"x=1"}));
}

TEST(MeshChoice, NumberOfArrangements) {
  // Counts ordered factorizations of 2^10 into at most two and three factors above one.
  EXPECT_EQ(list(1024, 2).size(), 1u + 9);
  EXPECT_EQ(list(1024, 3).size(), 1u + 9 + 36);
}
