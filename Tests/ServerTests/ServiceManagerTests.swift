import Foundation
import Glibc
import Logging
import Server
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

/// A notification socket like that of systemd.
private final class NotifySocket: Sendable {
  let name: String
  private let descriptor: Int32

  init(isAbstract: Bool = false) throws {
    let unique = "fettle-notify-\(UUID().uuidString.prefix(8))"
    name = isAbstract ? "@\(unique)" : "/tmp/\(unique)"
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: bytes)
      if isAbstract { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    #expect(bound == 0)
  }

  /// Receives the next datagram, and returns its lines.
  func next() -> [String] {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(
      String.init
    )
  }

  deinit {
    close(descriptor)
    if name.hasPrefix("/") { unlink(name) }
  }
}

@Suite(.timeLimit(.minutes(60))) struct ServiceManagerTests {
  @Test(arguments: [false, true])
  func `notifications are datagrams to a path or an abstract name`(isAbstract: Bool) throws {
    let socket = try NotifySocket(isAbstract: isAbstract)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": socket.name]))
    #expect(manager.notify(.ready, .status("two\nlines")))
    #expect(socket.next() == ["READY=1", "STATUS=two lines"])
    #expect(manager.watchdog == nil)
  }

  @Test func `without NOTIFY_SOCKET there is no service manager`() {
    #expect(ServiceManager(environment: [:]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "vsock:2:1"]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/at/all"])?.notify(.alive) == false)
  }

  @Test func `the watchdog of another process is not this one's`() throws {
    var environment = ["NOTIFY_SOCKET": "/tmp/x", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]
    #expect(try #require(ServiceManager(environment: environment)).watchdog == nil)
    environment["WATCHDOG_PID"] = "\(getpid())"
    #expect(try #require(ServiceManager(environment: environment)).watchdog == .seconds(30))
    environment["WATCHDOG_PID"] = nil
    #expect(try #require(ServiceManager(environment: environment)).watchdog == .seconds(30))
  }

  @Test func `readiness is reported once, and keep-alives only while the process is alive`() async throws {
    let socket = try NotifySocket()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": socket.name])
    let health = Mutex(Health(isAlive: true, isReady: false, status: "starting"))
    let notifier = SystemdNotifier(
      manager,
      health: { health.withLock { $0 } },
      logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() },
      interval: .milliseconds(5)
    )
    try await testGracefulShutdown { trigger in
      async let running: Void = notifier.run()
      #expect(socket.next() == ["WATCHDOG=1"])
      #expect(socket.next() == ["STATUS=starting"])
      health.withLock { $0 = Health(isAlive: true, isReady: true, status: "fine") }
      var seen: [String] = []
      while !seen.contains("READY=1") { seen = socket.next() }
      #expect(seen == ["READY=1", "STATUS=fine"])
      health.withLock { $0 = Health(isAlive: false, isReady: false, status: "stalled") }
      while seen != ["STATUS=stalled"] { seen = socket.next() }
      health.withLock { $0 = Health(isAlive: true, isReady: true, status: "fine again") }
      // No keep-alive was sent while the process was not alive: the next datagram is the change of readiness.
      seen = socket.next()
      #expect(seen == ["READY=1", "STATUS=fine again"])
      trigger.triggerGracefulShutdown()
      try await running
    }
  }
}
