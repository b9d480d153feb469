import Foundation
import Glibc
import Synchronization
import Testing

/// A notification socket like systemd's.
final class NotifySocket: Sendable {
  let path = "/tmp/fettle-notify-\(UUID().uuidString.prefix(8))"
  private let descriptor: Int32
  private let lines = Mutex<[String]>([])

  init() throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0)
  }

  /// All messages received so far.
  var received: [String] {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
    }
    return lines.withLock { $0 }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }
}
