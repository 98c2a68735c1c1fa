// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mesh is a set of cuts: the prefix products of its axis sizes. The cuts of a matrix are added if
// all cuts still divide one another. Other matrices take free axes by backtracking. If that fails,
// all axes are cut into primes, from which any divisor can be made.
#include "passes/strategy/constraints/MeshRefinement.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::MeshAxis;

namespace pcc::strategy {
namespace {

/// Ascending prefix products, each dividing the next; include 1 and the number of ranks.
using Cuts = std::set<int64_t>;

SmallVector<int64_t> listCuts(ArrayRef<int64_t> counts) {
  SmallVector<int64_t> cuts;
  int64_t product = 1;
  for (int64_t count : counts)
    if (count != 1)
      cuts.push_back(product *= count);
  return cuts;
}

/// Whether `cut` divides, or is divided by, each other cut.
bool fits(const Cuts &cuts, int64_t cut) {
  return all_of(cuts, [&](int64_t other) { return cut % other == 0 || other % cut == 0; });
}

/// Adds cuts between neighboring cuts until all quotients are prime, smallest primes first.
void addPrimeCuts(Cuts &cuts) {
  Cuts all = cuts;
  for (auto low = cuts.begin(), high = std::next(low); high != cuts.end(); ++low, ++high) {
    int64_t rest = *high / *low, cut = *low;
    for (int64_t prime = 2; rest > 1; ++prime)
      for (; rest % prime == 0; rest /= prime)
        all.insert(cut *= prime);
  }
  cuts = std::move(all);
}

/// Assigns axes of a mesh to the counts of one matrix.
class AxisPicker {
public:
  explicit AxisPicker(const Mesh &mesh) : mesh(mesh), isTaken(mesh.getAxes().size(), false) {}

  /// Takes the next axes in order; their product must be `count`.
  AxisList takeNext(int64_t count) {
    AxisList list;
    for (; count > 1; ++next) {
      list.push_back(mesh.getAxes()[next].name);
      count /= mesh.getAxes()[next].size;
    }
    return list;
  }

  /// Takes any free axes with the product `count`; returns false if there are none.
  bool takeAny(int64_t count, AxisList &list, unsigned from = 0) {
    if (count == 1)
      return true;
    for (unsigned index = from; index < isTaken.size(); ++index) {
      const MeshAxis &axis = mesh.getAxes()[index];
      if (isTaken[index] || count % axis.size)
        continue;
      isTaken[index] = true;
      list.push_back(axis.name);
      if (takeAny(count / axis.size, list, index + 1))
        return true;
      list.pop_back();
      isTaken[index] = false;
    }
    return false;
  }

private:
  const Mesh &mesh;
  SmallVector<bool> isTaken;
  unsigned next = 0;
};

/// Refines a mesh for device matrices.
class Refiner {
public:
  Refiner(ArrayRef<MeshAxis> given, ArrayRef<DeviceMatrix> matrices)
      : given(given), matrices(matrices) {
    cuts.insert(1);
    int64_t product = 1;
    for (const MeshAxis &axis : given)
      cuts.insert(product *= axis.size);
  }

  MeshRefinement run() {
    for (const DeviceMatrix &matrix : matrices)
      inOrder.push_back(addCuts(matrix));
    MeshRefinement result;
    build(result);
    if (!assign(result)) {
      addPrimeCuts(cuts);
      build(result);
      bool isAssigned = assign(result);
      assert(isAssigned && "prime axes make up any divisor of the number of ranks");
      (void)isAssigned;
    }
    return result;
  }

private:
  /// Adds the cuts of the matrix if all of them fit; returns whether they do.
  bool addCuts(ArrayRef<int64_t> matrix) {
    SmallVector<int64_t> wanted = listCuts(matrix);
    if (!all_of(wanted, [&](int64_t cut) { return fits(cuts, cut); }))
      return false;
    cuts.insert(wanted.begin(), wanted.end());
    return true;
  }

  void build(MeshRefinement &result) const {
    result.pieces.clear();
    SmallVector<MeshAxis> axes;
    int64_t product = 1;
    for (const MeshAxis &axis : given) {
      AxisList &pieces = result.pieces[axis.name];
      auto low = cuts.find(product), high = cuts.find(product *= axis.size);
      bool isCut = low != high && std::next(low) != high;
      for (; low != high; ++low) {
        std::string name = isCut ? namePiece(Mesh(given), axis.name, pieces.size()) : axis.name;
        axes.push_back({name, *std::next(low) / *low});
        pieces.push_back(name);
      }
    }
    result.mesh = Mesh(axes);
  }

  bool assign(MeshRefinement &result) const {
    result.matrices.clear();
    for (auto [matrix, isInOrder] : zip_equal(matrices, inOrder)) {
      AxisPicker picker(result.mesh);
      std::vector<AxisList> &lists = result.matrices.emplace_back();
      for (int64_t count : matrix) {
        AxisList &list = lists.emplace_back();
        if (isInOrder)
          list = picker.takeNext(count);
        else if (!picker.takeAny(count, list))
          return false;
      }
    }
    return true;
  }

  ArrayRef<MeshAxis> given;
  ArrayRef<DeviceMatrix> matrices;
  Cuts cuts;
  SmallVector<bool> inOrder; ///< by matrix: whether its cuts are cuts of the mesh
};

} // namespace

std::string namePiece(const Mesh &mesh, StringRef axis, unsigned index) {
  std::string name = (axis + Twine(index)).str();
  while (mesh.findAxis(name))
    name += "_";
  return name;
}

MeshRefinement refineMesh(const Mesh &given, ArrayRef<DeviceMatrix> matrices) {
  return Refiner(given.getAxes(), matrices).run();
}

MeshRefinement refineMesh(int64_t numRanks, ArrayRef<DeviceMatrix> matrices) {
  MeshAxis all{"", numRanks};
  MeshRefinement result = Refiner(all, matrices).run();
  StringMap<std::string> names;
  SmallVector<MeshAxis> axes(result.mesh.getAxes());
  for (auto [index, axis] : enumerate(axes)) {
    names[axis.name] = dist::makeAxisName(index);
    axis.name = dist::makeAxisName(index);
  }
  for (std::vector<AxisList> &lists : result.matrices)
    for (AxisList &list : lists)
      for (std::string &name : list)
        name = names[name];
  result.mesh = Mesh(axes);
  result.pieces.clear();
  return result;
}

} // namespace pcc::strategy
