internal import Glibc
internal import Synchronization

/// A Unix socket between client and server that causes faults on demand.
package final class Proxy: Sendable {
  /// The fault for the next statement that contains `commit`.
  package enum Fault: Sendable {
    case none
    /// The server receives it and answers, but the client never receives the response.
    case cutAfterAnswer
    /// The server never receives it.
    case cutBeforeForwarding
  }

  private struct State {
    var fault = Fault.none
    /// True if new connections are refused, now or after the fault.
    var refuses = false
    var refusesAfterFault = false
    /// Connections up to this number are frozen.
    var frozen = 0
    var accepted = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  private let listening: Int32
  private let target: String
  /// The folder of its socket, which is libpq's `host`; the port is 5432.
  package let folder: String

  /// - Parameter target: the socket of the server.
  package init(to target: String) throws {
    self.target = target
    folder = "/tmp/fettle-proxy-\(getpid())-\(UInt32.random(in: 0 ..< .max))"
    mkdir(folder, 0o700)
    listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let code = Self.withAddress("\(folder)/.s.PGSQL.5432") { bind(listening, $0, $1) }
    guard code == 0, listen(listening, 100) == 0 else { throw Unreachable(status: errno) }
    Self.detach { self.acceptAll() }
  }

  /// The socket cannot be created.
  package struct Unreachable: Error {
    package let status: Int32
  }

  /// Applies a fault to the next commit only.
  package func failNextCommit(_ fault: Fault, thenRefuse: Bool = false) {
    state.withLock {
      $0.fault = fault
      $0.refusesAfterFault = thenRefuse
    }
  }

  /// Keeps existing connections open without forwarding anything; new connections work.
  package func freezeOpenConnections() {
    state.withLock { $0.frozen = $0.accepted }
  }

  /// Freezes existing and new connections.
  package func goSilent() {
    state.withLock { $0.frozen = .max }
  }

  package func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listening, Int32(SHUT_RDWR))
    close(listening)
    unlink("\(folder)/.s.PGSQL.5432")
    rmdir(folder)
  }

  private func acceptAll() {
    while true {
      let client = accept(listening, nil, nil)
      guard client >= 0 else { return }
      let number = state.withLock { state -> Int? in
        state.accepted += 1
        return state.refuses ? nil : state.accepted
      }
      let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      guard let number, Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
        close(client)
        close(server)
        continue
      }
      Self.detach { self.forward(number, client, server) }
    }
  }

  private func forward(_ number: Int, _ client: Int32, _ server: Int32) {
    defer {
      close(client)
      close(server)
    }
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      var both = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&both, 2, -1) >= 0 else { return }
      while state.withLock({ number <= $0.frozen && !$0.isStopped }) { usleep(10_000) }
      if state.withLock(\.isStopped) { return }
      if both[0].revents != 0 {
        let count = read(client, &buffer, buffer.count)
        guard count > 0 else { return }
        switch fault(in: buffer[..<count]) {
        case .none: _ = write(server, buffer, count)
        case .cutBeforeForwarding: return
        case .cutAfterAnswer:
          _ = write(server, buffer, count)
          _ = read(server, &buffer, buffer.count)
          return
        }
      }
      if both[1].revents != 0 {
        let count = read(server, &buffer, buffer.count)
        guard count > 0 else { return }
        _ = write(client, buffer, count)
      }
    }
  }

  private func fault(in bytes: ArraySlice<UInt8>) -> Fault {
    guard String(decoding: bytes, as: UTF8.self).contains("commit") else { return .none }
    return state.withLock { state in
      defer {
        if state.fault != .none { state.refuses = state.refusesAfterFault }
        state.fault = .none
      }
      return state.fault
    }
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
    -> Int32
  {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func detach(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
      &thread,
      nil,
      { context in
        if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      },
      Unmanaged.passRetained(Box(body)).toOpaque()
    )
    pthread_detach(thread)
  }
}
