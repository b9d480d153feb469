internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A proxy of TCP on 127.0.0.1, as a network that fails on demand.
///
/// Browsers never notice that they are offline by themselves here, and Chromium's own offline mode misses service
/// workers: a proxy reaches both.
package final class TCPProxy: Sendable {
  /// What the network does.
  package enum Mode: Sendable {
    /// Forwards everything.
    case open
    /// Ends all connections, and every new one at once.
    case closed
    /// Keeps connections, and forwards nothing until the mode changes.
    case stalled
    /// Forwards requests, and ends the connection instead of forwarding the answer.
    case cut
  }

  fileprivate struct State {
    var mode = Mode.open
    var target: Int
    /// The text of the server, and the one that clients see in its place.
    var replacement: (served: String, seen: String)?
    /// The answers to cut until the network is open again; nil for all.
    var rest: Int?
    var cuts = 0
    var sockets: Set<Int32> = []
    var isStopped = false
  }

  fileprivate final class Network: Sendable {
    let state: Mutex<State>

    init(to target: Int) { state = Mutex(State(target: target)) }
  }

  private let network: Network
  private let server: LoopbackServer

  package var port: Int { server.port }

  /// The number of answers that were cut so far.
  package var cuts: Int { network.state.withLock(\.cuts) }

  /// What the network does now. Set to ``Mode/closed``, it ends the connections of now too.
  package var mode: Mode {
    get { network.state.withLock(\.mode) }
    set { network.set(newValue) }
  }

  /// - Parameter target: the port of the server.
  package init(to target: Int) throws {
    let network = Network(to: target)
    self.network = network
    server = try LoopbackServer(concurrent: true) { network.carry($0.descriptor) }
  }

  /// The port that connections are carried to. Another one ends the connections of now.
  package var target: Int {
    get { network.state.withLock(\.target) }
    set {
      network.state.withLock { state in
        state.target = newValue
        for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
      }
    }
  }

  /// Shows clients another text in place of one of the server, as long as it: a server with another build.
  package func replace(_ served: String, by seen: String) {
    precondition(served.utf8.count == seen.utf8.count)
    network.state.withLock { $0.replacement = (served, seen) }
  }

  /// Cuts the next answers only; afterwards the network is open.
  package func cut(next count: Int) { network.set(.cut, rest: count) }

  /// Ends all connections and the proxy.
  package func stop() {
    server.stop()
    network.set(.closed)
    network.state.withLock { $0.isStopped = true }
  }
}

extension TCPProxy.Network {
  fileprivate func set(_ mode: TCPProxy.Mode, rest: Int? = nil) {
    state.withLock { state in
      state.mode = mode
      state.rest = rest
      // Without shutdown, a blocked reader would keep a closed socket open.
      if mode == .closed { for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
    }
  }

  /// Carries a connection until it ends. The client's socket is closed by the caller.
  fileprivate func carry(_ client: Int32) {
    let (mode, target) = state.withLock { ($0.mode, $0.target) }
    guard mode != .closed, let server = try? Loopback.connection(to: target) else {
      return  // ends the connection
    }
    state.withLock { state in
      state.sockets.formUnion([client, server])
      if state.mode == .closed { for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) } }
    }
    let answers = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      self.pump(from: server, to: client, isAnswer: true)
      shutdown(client, Int32(SHUT_RDWR))
      answers.signal()
    }
    pump(from: client, to: server, isAnswer: false)
    shutdown(server, Int32(SHUT_WR))
    answers.wait()
    state.withLock { $0.sockets.subtract([client, server]) }
    close(server)
  }

  private func pump(from source: Int32, to target: Int32, isAnswer: Bool) {
    let source = LoopbackConnection(descriptor: source)
    let target = LoopbackConnection(descriptor: target)
    while let bytes = source.receive() {
      while state.withLock({ $0.mode == .stalled && !$0.isStopped }) { usleep(10_000) }
      if isAnswer && takesCut() { return }
      guard target.send(state.withLock(\.replacement).map { Self.replaced(bytes, $0, isAnswer) } ?? bytes)
      else { return }
    }
  }

  /// Returns bytes with the texts of a replacement exchanged. Answers are whole and not
  /// compressed meanwhile.
  private static func replaced(_ bytes: [UInt8], _ pair: (served: String, seen: String), _ isAnswer: Bool)
    -> [UInt8]
  {
    let texts =
      isAnswer
      ? [(pair.served, pair.seen)]
      : [
        (pair.seen, pair.served), ("Accept-Encoding", "X-ccept-Encoding"),
        ("If-None-Match", "X-f-None-Match"),
      ]
    var bytes = bytes
    for (old, new) in texts {
      for range in bytes.ranges(of: Array(old.utf8)).reversed() {
        bytes.replaceSubrange(range, with: Array(new.utf8))
      }
    }
    return bytes
  }

  /// Returns true if the answer that has arrived is to be cut, and counts it.
  private func takesCut() -> Bool {
    state.withLock { state in
      guard state.mode == .cut else { return false }
      state.cuts += 1
      if let rest = state.rest {
        state.rest = rest - 1
        if rest <= 1 { state.mode = .open }
      }
      return true
    }
  }
}
