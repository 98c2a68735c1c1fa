// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are as many threads as workers, so each job that was chosen finds a thread. A thread whose
// job has ended delivers what may be delivered. If an earlier job still runs, the thread of that
// job does it, as soon as its clock is late enough.
#include "compiler/search/VirtualWorkers.h"

#include <algorithm>
#include <thread>
#include <tuple>
#include <vector>

namespace pcc::search {

std::list<VirtualWorkers::Running>::iterator VirtualWorkers::findEarliest() {
  return std::min_element(jobs.begin(), jobs.end(), [](const Running &a, const Running &b) {
    return std::tie(a.clock, a.number) < std::tie(b.clock, b.number);
  });
}

void VirtualWorkers::chooseJobs() {
  while (jobs.size() < workers) {
    std::optional<Job> job = choose();
    if (!job)
      break;
    jobs.push_back({std::move(*job), time, numChosen++});
  }
  changed.notify_all();
}

void VirtualWorkers::deliverJobs() {
  for (auto next = findEarliest(); next != jobs.end() && next->state == Running::Ended;
       next = findEarliest()) {
    time = next->clock;
    Job job = std::move(next->job);
    jobs.erase(next);
    job.deliver();
    chooseJobs();
  }
}

void VirtualWorkers::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!jobs.empty()) {
    auto own = std::find_if(jobs.begin(), jobs.end(),
                            [](const Running &job) { return job.state == Running::Chosen; });
    if (own == jobs.end()) {
      changed.wait(lock);
      continue;
    }
    own->state = Running::Started;
    lock.unlock();
    Clock clock(*this, *own);
    own->job.run(clock);
    lock.lock();
    own->state = Running::Ended;
    deliverJobs();
    changed.notify_all();
  }
}

void VirtualWorkers::run(double begin) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    time = toTicks(begin);
    chooseJobs();
  }
  std::vector<std::thread> others;
  for (size_t i = 1; i < workers; ++i)
    others.emplace_back([this] { work(); });
  work();
  for (std::thread &other : others)
    other.join();
}

void VirtualWorkers::Clock::advance(double seconds) {
  std::lock_guard<std::mutex> lock(workers.mutex);
  job.clock += toTicks(seconds);
  workers.deliverJobs();
  workers.changed.notify_all();
}

double VirtualWorkers::Clock::getTime() const {
  std::lock_guard<std::mutex> lock(workers.mutex);
  return toSeconds(job.clock);
}

void VirtualWorkers::Clock::lookAtTime(const std::function<void()> &look) {
  std::unique_lock<std::mutex> lock(workers.mutex);
  workers.changed.wait(lock, [&] { return &*workers.findEarliest() == &job; });
  look();
}

} // namespace pcc::search
