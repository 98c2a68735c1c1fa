// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The connection of a process to the store, shared by its threads. An extra thread receives answers
// and passes them to the waiting threads.

#pragma once

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

  /// Connects as process number `process` with a name. Waits at most `seconds` for a listener, and
  /// as long for its answer. Errors: TimedOut without a listener or an answer; the listener is no
  /// store; another process has the number.
  static Expected<std::shared_ptr<Client>> connect(const Address &address, int process,
                                                   const std::string &name, double seconds);
  ~Client();

  /// Whether a wait ends when the run is aborted.
  enum class WaitScope { UntilRunAborts, UntilConnectionBreaks };

  /// Sets the value of a new key. The store refuses a second value and ends the connection of the
  /// client that gives it. The key is removed after `uses` gets; 0: it stays.
  Status set(const std::string &key, std::string_view value, int64_t uses = 0);
  /// Sets the value of a key that stays, unless it already has a value.
  Status offer(const std::string &key, std::string_view value);
  /// Waits for the values of all keys. Errors: TimedOut after `seconds`, if given; the reason of an
  /// abort; a broken connection.
  Expected<Values> get(const std::vector<std::string> &keys, std::optional<double> seconds = {},
                       WaitScope scope = WaitScope::UntilRunAborts);
  /// Calls `take` with the value when it is set, on the receiving thread.
  Status whenSet(const std::string &key, std::function<void(const std::string &)> take);
  /// Adds to a number that begins at 0, and returns the sum. Errors: those of get.
  Expected<int64_t> add(const std::string &key, int64_t amount, std::optional<double> seconds = {});

  /// Ends all present and future gets of the run. The first reason stays.
  void abortRun(Status reason);
  /// Returns why the run was aborted; success if it was not.
  Status reason() const;
  /// Registers `listener`, which is called with the reason of an abort, or when the connection
  /// breaks.
  void listen(std::function<void(const std::string &)> listener);

  /// Sets the name of the server in messages about a broken connection.
  void setServerName(const std::string &name);

  /// Announces that this process leaves.
  void leave();

private:
  struct Wait {
    std::condition_variable changed;
    WaitScope scope = WaitScope::UntilRunAborts;
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
  std::pair<uint64_t, std::shared_ptr<Wait>> expect(WaitScope scope);
  Expected<Values> await(uint64_t number, Wait &wait, std::optional<double> seconds);
  Status failureOf(WaitScope scope) const;
  void notifyAll(std::unique_lock<std::mutex> lock);

  const Socket socket;
  const Address address;
  std::thread receiver;
  std::mutex sending;

  mutable std::mutex mutex;
  uint64_t asked = 0;
  std::map<uint64_t, std::shared_ptr<Wait>> waits;
  Status broken, abortReason;
  std::string server = "process 0";
  bool isGreeted = false, isLeaving = false;
  std::vector<std::function<void(const std::string &)>> listeners;
};

} // namespace pcc::runtime::store
