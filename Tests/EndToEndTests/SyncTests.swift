import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Two phones and an operator: a conflict travels from one device to the command line and back.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SyncTests {
  @Test func `a conflict of two phones is seen and decided at the command line`() async throws {
    try await Shell.open { shell in
      let server = try shell.begin("serve", "--listen", "0", "--log-format", "json")
      try await server.says("serving the API")
      let port = try #require(ServeTests.port(in: server.said))
      let client = Client(shell: shell, base: "http://127.0.0.1:\(port)")
      let session = try await client.send(
        "POST",
        "/v1/auth/sign-up",
        [
          "email": "ana@workshop.example", "password": "a long sentence for a password", "name": "Ana",
          "company": ["name": "Workshop", "slug": "workshop"],
        ]
      )
      let ana = Client(
        shell: shell,
        base: client.base,
        token: try #require(session["access_token"] as? String)
      )
      let machine = try await ana.send("POST", "/v1/maintenance/machine", ["code": "RM-1", "name": "Roller"])
      let id = try #require(machine["id"] as? String)
      let phones = [UUID().uuidString.lowercased(), UUID().uuidString.lowercased()]
      for phone in phones {
        _ = try await ana.send(
          "POST",
          "/v1/sync/devices",
          ["id": phone, "name": "Phone", "app": "maintenance", "platform": "test"]
        )
      }
      for (phone, name) in zip(phones, ["Roller one", "Roller two"]) {
        let change: [String: Any] = [
          "no": 1, "type": "maintenance.machine", "id": id, "op": "patch", "base_version": 1,
          "fields": ["name": name],
        ]
        _ = try await ana.send("POST", "/v1/sync/push", ["device_id": phone, "mutations": [change]])
      }
      let status = try await shell.rows("sync", "status", "--company", "workshop")
      #expect(status.count == 2)
      #expect(status.map { $0["conflicts"] as? Int }.sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 1])
      let conflicts = try await shell.rows("sync", "conflicts", "--company", "workshop")
      let change = try #require(conflicts.first?["change"] as? String)
      #expect(change == "\(phones[1].prefix(8))/1")
      #expect(conflicts.first?["fields"] as? [String] == ["name"])
      let shown = try await shell.rows("sync", "show", change, "--company", "workshop")
      #expect(shown.first?["device"] as? String == "Roller two")
      #expect(shown.first?["server"] as? String == "Roller one")
      let wrong = try await shell.fettle("sync", "resolve", change, "--take", "both", "--company", "workshop")
      #expect(wrong.status != 0)
      #expect(wrong.errors.contains("take server, mine, merge or discard"))
      _ = try await shell.done("sync", "resolve", change, "--take", "mine", "--company", "workshop")
      let now = try await ana.send("GET", "/v1/maintenance/machine/\(id)")
      #expect(now["name"] as? String == "Roller two")
      #expect(try await shell.rows("sync", "conflicts", "--company", "workshop").isEmpty)
      let report = try await shell.rows("report", "run", "sync", "--company", "workshop")
      #expect(report.map { $0["conflicts"] as? Int } == [0, 0])
      _ = try await shell.done("sync", "revoke", String(phones[0].prefix(12)), "--company", "workshop")
      #expect(try await shell.rows("sync", "devices", "--company", "workshop").count == 1)
      server.signal(SIGTERM)
      #expect(try await server.end().status == 0)
    }
  }

  /// A client of the API with curl.
  private struct Client {
    let shell: Shell
    let base: String
    var token = ""

    func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> [String: Any] {
      var arguments = ["-sS", "--fail-with-body", "-X", method, "-H", "Authorization: Bearer \(token)"]
      if let body {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        arguments += ["-H", "Content-Type: application/json", "-d", text]
      }
      let outcome = try await shell.program("/usr/bin/curl", arguments + ["\(base)\(path)"])
      try #require(outcome.status == 0, "\(method) \(path): \(outcome.output)\(outcome.errors)")
      return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] ?? [:]
    }
  }
}
