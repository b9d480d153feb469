import EndToEndFixtures
import Foundation
import Glibc
import TestDatabase
import TestTools
import Testing

/// A worker process as seen by monitoring.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WatchingTests {
  /// Starts a worker with an HTTP endpoint on a free port and a log in JSON.
  private func begin(_ shell: Shell) async throws -> (worker: Running, port: Int) {
    let worker = try shell.begin("work", "--listen", "0", "--log-format", "json")
    var port = 0
    try await until {
      let line = lines(worker.said).first { $0["message"] as? String == "answering over HTTP" }
      port = (line?["metadata"] as? [String: String])?["port"].flatMap { Int($0) } ?? 0
      return port > 0
    }
    return (worker, port)
  }

  private func lines(_ text: String) -> [[String: Any]] {
    text.split(separator: "\n").compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
    }
  }

  /// The response at a path: status and text.
  private func get(_ port: Int, _ path: String) async throws -> (status: Int, text: String) {
    let client = try WireClient(port)
    client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    try await until { client.isClosed() }
    let answer = client.received
    let head = answer.split(separator: " ", maxSplits: 2)
    let text = answer.range(of: "\r\n\r\n").map { String(answer[$0.upperBound...]) } ?? ""
    return (head.count > 1 ? Int(head[1]) ?? 0 : 0, text)
  }

  @Test func `metrics are such as Prometheus takes, and count what was done`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("job", "enqueue", "test.later", "--new-kind", "--in", "1d")
      let (worker, port) = try await begin(shell)
      try await shell.done("job", "enqueue", "history.seal")
      try await until {
        try await get(port, "/metrics").text.contains(#"kind="history.seal",outcome="succeeded"} 1"#)
      }
      try await until { try await get(port, "/metrics").text.contains("fettle_workers 1") }
      let (status, text) = try await get(port, "/metrics")
      #expect(status == 200)
      for name in [
        #"fettle_queue_jobs{queue="default",kind="test.later",state="waiting"} 1"#, "fettle_pool_size 11",
        "process_cpu_seconds_total", "fettle_build_info",
      ] {
        #expect(text.contains(name), "\(name)")
      }
      #expect(!text.contains("acme") && !text.contains("company"))
      if let promtool = Self.promtool {
        let file = try shell.file("metrics.txt", text)
        let checked = try await shell.bash("'\(promtool)' check metrics < '\(file)'")
        #expect(checked.status == 0 && checked.errors.isEmpty, "\(checked.output)\(checked.errors)")
      }
      #expect(try await get(port, "/nothing").status == 404)
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
    }
  }

  /// The promtool of `deploy/test` or of Debian; nil if there is none, which skips its checks.
  private static var promtool: String? {
    let folder = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }
    return ["/usr/bin/promtool", "\(folder)/.build/tools/promtool"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  @Test func `a worker is ready when it can claim, and every line of its log is an object`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let (worker, port) = try await begin(shell)
      try await until { try await get(port, "/readyz").status == 200 }
      #expect(try await get(port, "/readyz").text.hasPrefix("ready: "))
      #expect(try await get(port, "/healthz").status == 200)
      try await shell.done("job", "enqueue", "webhook.deliver", "--max-attempts", "1")
      try await until { lines(worker.said).contains { $0["message"] as? String == "failed" } }
      worker.signal(SIGTERM)
      let said = try await worker.end().errors
      let failed = try #require(lines(said).first { $0["message"] as? String == "failed" })
      let facts = try #require(failed["metadata"] as? [String: String])
      #expect(failed["level"] as? String == "warning" && failed["logger"] as? String == "fettle")
      #expect(facts["kind"] == "webhook.deliver" && facts["queue"] == "default" && facts["attempt"] == "1")
      #expect(facts["job"].flatMap { UUID(uuidString: $0) } != nil && facts["dead"] == "true")
      // What is for the person at the terminal: the first process of an installation makes its keys.
      let others = said.split(separator: "\n").filter { !$0.hasPrefix("{") }
      #expect(others.first?.hasPrefix("created the key file ") == true)
      #expect(others.dropFirst() == ["finishing running jobs; a second signal ends it at once"])
    }
  }

  @Test func `the service manager is told when it is ready, that it lives, and when it stops`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let manager = try NotifySocket()
      let watched = Shell(
        folder: shell.folder,
        environment: shell.environment.merging(["NOTIFY_SOCKET": manager.path]) { $1 }
      )
      let worker = try watched.begin("work")
      try await until { manager.received.contains("READY=1") }
      try await until { manager.received.contains("WATCHDOG=1") }
      #expect(manager.received.contains { $0.hasPrefix("STATUS=ready: ") })
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
      #expect(manager.received.contains("STOPPING=1"))
    }
  }

  @Test func `an address that is taken is said, and so is one that is none`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let (worker, port) = try await begin(shell)
      let second = try await shell.fettle("work", "--listen", "\(port)")
      #expect(
        second.status == 7 && second.errors.contains("cannot listen on 127.0.0.1:\(port)"),
        "\(second.errors)"
      )
      #expect(try await shell.fettle("work", "--listen", "nowhere").status == 64)
      #expect(try await shell.fettle("work", "--log-format", "xml").status == 64)
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
    }
  }
}
