internal import FoundationEssentials
internal import Glibc

/// Tells systemd how its service is, as `sd_notify(3)` does: a datagram to the socket that `NOTIFY_SOCKET` names.
///
/// The protocol is small and documented to be stable, and systemd's own manual shows it done without its library,
/// which would bring its dependencies into every process that has something to say.
package struct ServiceManager: Sendable {
  private let socketName: String
  /// How often it wants to hear that the service lives; nil: it does not ask.
  package let watchdog: Duration?

  /// - Parameter environment: of the process; nil is returned when nobody is to be told.
  package init?(environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
      // The address has room for so many bytes.
      name.utf8.count < 108
    else { return nil }
    socketName = name
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let interval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
    watchdog = isMeant ? interval.map { .microseconds($0) } : nil
  }

  /// Something to tell.
  package enum Message: Sendable, Hashable {
    /// It does its work.
    case ready
    /// It is ending.
    case stopping
    /// It lives.
    case alive
    /// How it is, in one line, for `systemctl status`.
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

  /// Tells; false when nobody took it, which changes nothing for the service.
  @discardableResult
  package func tell(_ messages: Message...) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(socketName.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name)
      // A name of the abstract kind begins with a null.
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
