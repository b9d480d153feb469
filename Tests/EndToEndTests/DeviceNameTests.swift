import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// The records that the arguments of `fettle-device` name.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DeviceNameTests {
  @Test func `records are named by number, key and the beginning of an id, as at the other commands`()
    async throws
  {
    try await Shell.open { shell in
      let server = try shell.begin("serve", "--listen", "0", "--log-format", "json")
      try await server.says("serving the API")
      let base = "http://127.0.0.1:\(try #require(ServeTests.port(in: server.said)))"
      let device = FettleProcess.executable.deletingLastPathComponent().appending(path: "fettle-device").path
      func run(_ line: String) async throws -> FettleProcess.Outcome {
        try await shell.bash("export FETTLE_DEVICE=phone\nphone() { '\(device)' \"$@\"; }\n\(line)")
      }
      let account = """
        {"email": "ana@workshop.example", "password": "a long sentence for a password", "name": "Ana",
         "company": {"name": "Workshop", "slug": "workshop"}}
        """
      let made = try await run(
        """
        set -e
        curl -sS --fail-with-body -H 'Content-Type: application/json' -d '\(account)' \(base)/v1/auth/sign-up > session
        echo a long sentence for a password | phone sign-in \(base) --email ana@workshop.example --app maintenance
        phone create maintenance.machine code=RM-001 name=Roller
        phone sync
        machine=$(phone list maintenance.machine | tail -1 | cut -c1-36)
        phone create maintenance.entry machine_id=rm-001 category_id=Engine description='Hose leaks'
        phone sync
        phone patch maintenance.entry wo-1001 priority:=1
        phone do maintenance.entry WO-1001 start
        phone patch maintenance.machine "${machine:0:8}" name=First
        phone patch maintenance.machine RM-001 name=Second
        phone sync
        phone list maintenance.entry --columns number,priority --columns machine_code,status
        phone list maintenance.machine RM-001
        """
      )
      #expect(made.status == 0, "\(made.errors)\(made.output)")
      #expect(made.output.contains(/WO-1001 +1 +RM-001 +in_progress/), "\(made.output)")
      #expect(made.output.contains("name: Second"), "\(made.output)")
      let none = try await run("phone patch maintenance.entry WO-9 priority:=1")
      #expect(
        none.status == 1 && none.errors.contains("there is no maintenance.entry \"WO-9\""),
        "\(none.errors)"
      )
      let two = try await run(
        "phone create maintenance.machine code=RM-001 name=Twin >&2 && phone delete maintenance.machine RM-001"
      )
      #expect(
        two.status == 1 && two.errors.contains("2 records of maintenance.machine are named"),
        "\(two.errors)"
      )
      server.signal(SIGTERM)
      #expect(try await server.end().status == 0)
    }
  }
}
