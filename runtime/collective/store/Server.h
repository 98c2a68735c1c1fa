// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The store itself: keys and values in the memory of one process, served by one thread that never
// waits for a client. The name of a process that disconnects without Bye becomes the value of the
// key `lost`.
//
// Anything on the network may connect. With a token, a process must prove that it has it (Token.h).
// Until it is admitted, a connection is closed after a few seconds, and only some may wait at once,
// so that strangers cannot take all descriptors of the process.

#pragma once

#include "runtime/collective/store/Frame.h"
#include "runtime/collective/store/Socket.h"
#include "runtime/collective/store/Token.h"

#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

namespace pcc::runtime::store {

/// The key whose value names the first lost process.
constexpr const char *lostKey = "lost";

class Server {
public:
  static Expected<std::unique_ptr<Server>> start(const Address &address, Token token = {});
  ~Server();

  int port() const { return listener.port(); }

  /// Waits until `processes` processes have left, at most `seconds`. Returns the numbers of those
  /// that have not.
  std::vector<int> waitUntilLeft(int processes, double seconds);

private:
  struct Connection {
    Socket socket;
    std::string name = {};    ///< name of the process; empty before it is admitted
    int64_t process = -1;     ///< number that the process claims
    std::string claimed = {}; ///< name that the process claims
    std::optional<Challenge> challenge = {};
    std::string in = {};  ///< received bytes of an incomplete frame
    std::string out = {}; ///< bytes that the connection has not accepted yet
    size_t sent = 0;      ///< bytes of `out` already sent
    int64_t begin = 0;    ///< nowNanoseconds() at which it was accepted
    bool hasLeft = false, isRefused = false, isBroken = false;
  };
  struct Entry {
    std::string value;
    int64_t uses = 0; ///< remaining gets; 0: the key stays
  };
  /// A pending get. Connections have stable addresses, and a broken one lives until no get waits on
  /// it.
  struct Wait {
    std::shared_ptr<Connection> connection;
    uint64_t number;
    std::string keys;
    size_t missing;
  };

  Server(Socket listener, Token token, int wakeEnd, int wakeBegin)
      : listener(std::move(listener)), token(std::move(token)), wakeEnd(wakeEnd),
        wakeBegin(wakeBegin) {}
  void run();
  Status loop();
  void fail(const std::string &why);
  void accept();
  void endSilent();
  bool isAcceptable(const Connection &connection, const Head &head) const;
  void receive(const std::shared_ptr<Connection> &connection);
  void flush(Connection &connection);
  void markLost(Connection &connection);
  bool handle(const std::shared_ptr<Connection> &connection, const Head &head, std::string key,
              std::string value);
  void greet(Connection &connection, const Head &head, std::string name);
  void check(Connection &connection, const Head &head, std::string_view value);
  void admit(Connection &connection, uint64_t number, std::string_view values);
  void refuse(Connection &connection, const std::string &why);
  void set(const std::string &key, std::string value, int64_t uses);
  void get(const std::shared_ptr<Connection> &connection, uint64_t number, std::string keys);
  void add(Connection &connection, uint64_t number, const std::string &key, int64_t amount);
  void answer(const Wait &wait);
  void send(Connection &connection, const std::string &frame);

  const Socket listener;
  const Token token;
  /// A pipe that tells the thread to end.
  const int wakeEnd, wakeBegin;
  std::thread thread;

  // Used only by the thread.
  std::list<std::shared_ptr<Connection>> connections;
  std::map<int64_t, std::string> names; ///< of all processes that have connected
  int64_t acceptsFrom = 0;              ///< nowNanoseconds() from which connections are accepted
  std::unordered_map<std::string, Entry> entries;
  std::unordered_map<std::string, std::vector<std::shared_ptr<Wait>>> waiting;

  std::mutex mutex;
  std::condition_variable someoneLeft;
  std::set<int64_t> left;
  bool hasFailed = false;
};

} // namespace pcc::runtime::store
