internal import Foundation
internal import Glibc

/// A TCP server on 127.0.0.1 with a thread of its own.
package final class LoopbackServer: Sendable {
  package let port: Int
  private let listener: Int32
  private let isConcurrent: Bool
  private let serve: @Sendable (LoopbackConnection) -> Void

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - isConcurrent: true for a thread for each connection, as browsers need it, which open several and leave some
  ///     of them silent; false for one connection at a time, while others wait.
  ///   - serve: called with each connection, which is closed afterwards.
  package init(
    concurrent isConcurrent: Bool = false,
    _ serve: @escaping @Sendable (LoopbackConnection) -> Void
  ) throws {
    (listener, port) = try Loopback.listener()
    self.isConcurrent = isConcurrent
    self.serve = serve
    var thread = pthread_t()
    pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<LoopbackServer>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      },
      Unmanaged.passRetained(self).toOpaque()
    )
    pthread_detach(thread)
  }

  /// Ends the server's thread after the current client has disconnected.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func run() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      // A program started meanwhile by a test must not inherit the connection.
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      if isConcurrent {
        Thread.detachNewThread { self.serve(client) }
      } else {
        serve(client)
      }
    }
    close(listener)
  }

  private func serve(_ client: Int32) {
    serve(LoopbackConnection(descriptor: client))
    close(client)
  }
}

/// A connection of a ``LoopbackServer``, while it serves it.
package struct LoopbackConnection: Sendable {
  let descriptor: Int32

  /// Waits for bytes; nil if the client has disconnected.
  package func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Sends a text. Returns false if the client has disconnected.
  @discardableResult
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends bytes. Returns false if the client has disconnected.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
