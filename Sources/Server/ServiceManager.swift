internal import FoundationEssentials
internal import Glibc

/// Sends notifications to systemd as `sd_notify(3)` does: datagrams to the socket named by `NOTIFY_SOCKET`.
///
/// The protocol is documented as stable, and systemd's manual shows how to implement it. The library would
/// add its dependencies to every process.
package struct ServiceManager: Sendable {
  private let socketName: String
  /// The watchdog interval; nil if systemd runs no watchdog for this process.
  package let watchdog: Duration?

  /// Nil unless `NOTIFY_SOCKET` names a socket.
  ///
  /// - Parameter environment: the environment variables of the process.
  package init?(environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
      // The maximum length of a socket's name in bytes.
      name.utf8.count < 108
    else { return nil }
    socketName = name
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let interval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
    watchdog = isMeant ? interval.map { .microseconds($0) } : nil
  }

  /// A notification.
  package enum Message: Sendable, Hashable {
    /// The service is ready.
    case ready
    /// The service is stopping.
    case stopping
    /// A watchdog keep-alive.
    case alive
    /// A status line for `systemctl status`; line breaks become spaces.
    case status(String)

    var text: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      case .alive: "WATCHDOG=1"
      case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
      }
    }
  }

  /// Sends notifications in one datagram. Returns false if they were not delivered, which callers may ignore.
  @discardableResult
  package func notify(_ messages: Message...) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(socketName.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name)
      // The name of an abstract socket begins with a null byte.
      if name.first == UInt8(ascii: "@") { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let text = Array(messages.map(\.text).joined(separator: "\n").utf8)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), pointer, length) == text.count
      }
    }
  }
}
