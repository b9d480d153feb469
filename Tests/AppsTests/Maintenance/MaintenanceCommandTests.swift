import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing

/// Meters, plans and hours at the command line.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MaintenanceCommandTests {
  @Test func `a plan says what its meter will show, also after the meter is replaced`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-001")
      try await shell.done("meter", "add", "Hours", "--machine", "RM-001", "--unit", "h")
      try await shell.done("meter", "read", "Hours", "1000", "--machine", "RM-001")
      try await shell.done(
        "plan",
        "add",
        "Grease",
        "--machine",
        "RM-001",
        "--category",
        "Engine",
        "--meter",
        "Hours",
        "--every-units",
        "250"
      )
      #expect(try await shell.rows("plan", "list")[0]["next_due_reading"] as? Double == 1_250)
      let unsaid = try await shell.fettle(
        "meter",
        "read",
        "Hours",
        "20",
        "--machine",
        "RM-001",
        "--first-value",
        "15"
      )
      #expect(unsaid.status == 64, "a first value without --reset")
      try await shell.done(
        "meter",
        "read",
        "Hours",
        "20",
        "--machine",
        "RM-001",
        "--reset",
        "--first-value",
        "15"
      )
      let plan = try await shell.rows("plan", "list")[0]
      #expect(plan["next_due_reading"] as? Double == 265 && plan["is_due"] as? Bool == false)
      #expect(try await shell.rows("meter", "list")[0]["total_units"] as? Double == 5)
      #expect(try await shell.rows("plan", "list", "--due").isEmpty)
    }
  }

  @Test func `hours of a person overlap only where the company permits it`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("machine", "add", "RM-001")
      try await shell.done("entry", "add", "Hose leaks", "--machine", "RM-001", "--category", "Engine")
      // A day is given, because without one the hours are those of the last day on which they are over.
      let day = ["--date", "2026-05-04", "--as", "ana"]
      let first = ["time", "add", "WO-1001", "--from", "08:00", "--to", "09:00"] + day
      #expect(try await shell.fettle(arguments: first).status == 0)
      let other = ["time", "add", "WO-1001", "--from", "08:30", "--to", "09:30"] + day
      let again = try await shell.fettle(arguments: other)
      #expect(again.status == 6 && again.errors.hasPrefix("error[overlapping_hours]"), "\(again.errors)")
      let future = try await shell.fettle(
        "time",
        "add",
        "WO-1001",
        "--from",
        "10:00",
        "--to",
        "11:00",
        "--date",
        "2190-01-01",
        "--guest",
        "Per"
      )
      #expect(future.status == 6 && future.errors.hasPrefix("error[future_reading]"), "\(future.errors)")
      let setting = "maintenance.overlapping_hours"
      #expect(try await shell.rows("company", "settings", "acme", setting)[0]["value"] as? String == "refuse")
      try await shell.done("company", "settings", "acme", setting, "warn")
      #expect(try await shell.fettle(arguments: other).status == 0)
      let pairs = try await shell.rows("report", "run", "overlapping_hours")
      #expect(pairs.count == 1 && pairs[0]["overlapping_hours"] as? Double == 0.5)
    }
  }
}
