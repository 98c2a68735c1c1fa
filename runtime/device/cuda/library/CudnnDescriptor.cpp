// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/library/CudnnDescriptor.h"

#include <algorithm>

namespace pcc::runtime::cuda::dnn {

Descriptor::Descriptor(const Cudnn &library, Kind kind) : library(library) {
  note(library.check(library.createDescriptor(kind, &handle), "cudnnBackendCreateDescriptor"));
}

Descriptor::~Descriptor() {
  if (handle)
    library.destroyDescriptor(handle);
}

void Descriptor::note(Status status) {
  if (failure.ok())
    failure = std::move(status);
}

Descriptor &Descriptor::set(Attribute name, ValueType type, int64_t count, const void *values) {
  if (failure.ok())
    note(library.check(library.setAttribute(handle, name, type, count, values),
                       fmt::format("cudnnBackendSetAttribute of {}", int(name))));
  return *this;
}

Descriptor &Descriptor::set(Attribute name, const Descriptor &other) {
  const Descriptor *others[] = {&other};
  return setAll(name, others);
}

Descriptor &Descriptor::setAll(Attribute name, std::span<const Descriptor *const> others) {
  std::vector<DescriptorHandle> handles;
  for (const Descriptor *other : others) {
    note(other->failure);
    handles.push_back(other->handle);
  }
  return set(name, ValueType::Descriptor, int64_t(handles.size()), handles.data());
}

Descriptor &Descriptor::finalize() {
  if (failure.ok())
    note(library.check(library.finalize(handle), "cudnnBackendFinalize"));
  return *this;
}

std::optional<int64_t> Descriptor::get(Attribute name, ValueType type, int64_t most,
                                       void *values) const {
  int64_t count = 0;
  if (!failure.ok() ||
      library.getAttribute(handle, name, type, most, &count, values) != Result::Success)
    return std::nullopt;
  return std::min(count, most);
}

std::vector<Descriptor> Descriptor::descriptors(Attribute name, Kind kind, int64_t most) const {
  std::vector<Descriptor> found;
  std::vector<DescriptorHandle> handles;
  for (int64_t i = 0; i < most; ++i)
    handles.push_back(found.emplace_back(library, kind).handle);
  int64_t count = get(name, ValueType::Descriptor, most, handles.data()).value_or(0);
  while (int64_t(found.size()) > count)
    found.pop_back();
  return found;
}

} // namespace pcc::runtime::cuda::dnn
