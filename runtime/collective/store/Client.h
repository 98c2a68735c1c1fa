// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process's connection to the store, for all of its threads. One more thread receives answers and
// hands them to who waits.

#ifndef PCC_RUNTIME_COLLECTIVE_STORE_CLIENT_H
#define PCC_RUNTIME_COLLECTIVE_STORE_CLIENT_H

#include "runtime/collective/store/Frame.h"
#include "runtime/collective/store/Socket.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace pcc::runtime::store {

class Client {
public:
  using Values = std::vector<std::string>;

  /// Connects as a process with a name; waits so many seconds for who listens, and for his answer.
  /// Errors: TimedOut where there is none; what answers is no store; another process has the
  /// number.
  static Expected<std::shared_ptr<Client>> connect(const Address &address, int process,
                                                   const std::string &name, double seconds);
  ~Client();

  /// Whether a wait ends when the run is given up.
  enum class Patience { OfTheRun, OfTheConnection };

  /// Of a key that nobody has set: a second value breaks the connection of who gives it. After
  /// `uses` gets the key is gone; 0: it stays.
  Status set(const std::string &key, std::string_view value, int64_t uses = 0);
  /// The same of a key that stays; where somebody has set it, his value counts.
  Status offer(const std::string &key, std::string_view value);
  /// The values of all keys, when they are there. Errors: TimedOut after `seconds`, if they are
  /// given; why the run was given up; the connection broke.
  Expected<Values> get(const std::vector<std::string> &keys, std::optional<double> seconds = {},
                       Patience patience = Patience::OfTheRun);
  /// Has `take` called with the value when it is there, on the thread that receives.
  Status whenSet(const std::string &key, std::function<void(const std::string &)> take);
  /// Adds to a number that begins at 0; the sum. Errors as those of get.
  Expected<int64_t> add(const std::string &key, int64_t amount, std::optional<double> seconds = {});

  /// Ends all gets of the run, now and later. The first reason stays.
  void giveUp(Status reason);
  /// Why the run was given up; success while it was not.
  Status reason() const;
  /// Has `listener` called with the reason, when there is one or the connection breaks.
  void listen(std::function<void(const std::string &)> listener);

  /// What a broken connection says.
  void callServer(const std::string &name);

  /// Says that this process goes, and ends the connection.
  void leave();

private:
  struct Wait {
    std::condition_variable changed;
    Patience patience = Patience::OfTheRun;
    std::optional<Values> values;
    std::function<void(const std::string &)> take;
  };

  Client(Socket socket, Address address) : socket(std::move(socket)), address(std::move(address)) {}
  Status greet(int process, const std::string &name, double seconds);
  void receiveAll();
  Status receiveHead(Head &head);
  Status receiveOne();
  Status goneStatus() const;
  void received(uint64_t number, std::string_view values);
  Status send(Head head, std::string_view key, std::string_view value);
  std::pair<uint64_t, std::shared_ptr<Wait>> expect(Patience patience);
  Expected<Values> await(uint64_t number, Wait &wait, std::optional<double> seconds);
  Status failureOf(Patience patience) const;
  void tell(std::unique_lock<std::mutex> lock);

  const Socket socket;
  const Address address;
  std::thread receiver;
  std::mutex sending;

  mutable std::mutex mutex;
  uint64_t asked = 0;
  std::map<uint64_t, std::shared_ptr<Wait>> waits;
  Status broken, givenUp;
  std::string server = "process 0";
  bool isGreeted = false, isLeaving = false;
  std::vector<std::function<void(const std::string &)>> listeners;
};

} // namespace pcc::runtime::store

#endif // PCC_RUNTIME_COLLECTIVE_STORE_CLIENT_H
