import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing

/// Solar sites at the command line, as an operator and a member use them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SolarCommandTests {
  @Test func `samples come in from a file, and days and the present follow`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("solar", "site", "add", "Roof", "--capacity", "9.8")
      #expect(
        try await shell.rows("solar", "site", "show", "Roof")[0]["timezone"] as? String == "Europe/Stockholm"
      )
      #expect(try await shell.fettle("solar", "current", "Roof").status == 3)
      #expect(try await shell.fettle("solar", "current", "Roof").errors.hasPrefix("error[no_reading]"))
      let file = try shell.file(
        "meter.csv",
        "Time,kWh,kW\n2026-03-01T10:00:00Z,100,1.5\n2026-03-01T18:00:00Z,104.25,0\n2026-03-02T09:00:00Z,105,\n"
      )
      let map = "taken_at=Time,meter_kwh=kWh,inverter_kw=kW"
      let first = try await shell.rows("solar", "sample", "import", "Roof", file, "--map", map)
      #expect(first[0]["added"] as? Int == 3)
      let again = try await shell.rows("solar", "sample", "import", "Roof", file, "--map", map)
      #expect(again[0]["added"] as? Int == 0 && again[0]["already_there"] as? Int == 3)
      let days = try await shell.done(
        "solar",
        "daily",
        "Roof",
        "--from",
        "2026-03-01",
        "--to",
        "2026-03-02",
        "--output",
        "csv",
        "--columns",
        "date,kwh,gap"
      )
      #expect(
        days.output == "date,kwh,gap\r\n2026-03-01,4.250,true\r\n2026-03-02,0.750,true\r\n"
          || days.output == "date,kwh,gap\n2026-03-01,4.250,true\n2026-03-02,0.750,true\n"
      )
      let current = try await shell.rows("solar", "current", "Roof", "--as", "ana")
      #expect(current[0]["meter_reading"] as? Double == 105)
      #expect(current[0]["inverter_reading"] is NSNull)
      #expect(current[0]["timestamp"] as? String == "2026-03-02T09:00:00Z")
      #expect(current[0]["stale"] as? Bool == true)
      try await shell.done("solar", "sample", "fix", "Roof", "--at", "2026-03-02T09:00:00Z", "--kwh", "106")
      #expect(
        try await shell.rows("solar", "daily", "Roof", "--to", "2026-03-02").last?["kwh"] as? Double == 1.75
      )
      let fixed = try await shell.rows(
        "solar",
        "sample",
        "fix",
        "Roof",
        "--at",
        "2026-03-02T09:00:00Z",
        "--kw",
        "0.5"
      )[0]
      #expect(fixed["old_inverter_kw"] is NSNull && fixed["inverter_kw"] as? Double == 0.5)
      #expect(fixed["old_meter_kwh"] as? Double == 106 && fixed["meter_kwh"] as? Double == 106)
      let emptied = try await shell.rows(
        "solar",
        "sample",
        "fix",
        "Roof",
        "--at",
        "2026-03-02T09:00:00Z",
        "--kw",
        ""
      )[0]
      #expect(emptied["inverter_kw"] is NSNull && emptied["meter_kwh"] as? Double == 106)
      try await shell.done("solar", "sample", "remove", "Roof", "--from", "2026-03-02T09:00:00Z")
      #expect(try await shell.rows("solar", "sample", "list", "Roof").count == 2)
    }
  }

  @Test func `an export in local time with a new meter comes in, and the days say what does not count`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("solar", "site", "add", "Roof", "--timezone", "Europe/Stockholm")
      let file = try shell.file(
        "swap.csv",
        "taken_at,meter_kwh\n2026-06-10 12:00,100\n2026-06-10 12:05:00,25000\n2026-06-10T12:10:00,25000.3\n"
      )
      try await shell.done("solar", "sample", "import", "Roof", file)
      let list = try await shell.rows("solar", "sample", "list", "Roof")
      #expect(list.last?["taken_at"] as? String == "2026-06-10T10:00:00Z")
      let (from, to) = ("--from=2026-06-10", "--to=2026-06-10")
      let unsaid = try await shell.rows("solar", "daily", "Roof", from, to)[0]
      #expect(unsaid["kwh"] as? Double == 0.3 && unsaid["left_out_kwh"] as? Double == 24_900)
      let warned = try await shell.fettle("solar", "daily", "Roof", from, to).errors
      #expect(warned.contains("fettle solar sample reset"), "\(warned)")
      #expect(warned.contains("--set capacity_kw=KW"), "\(warned)")
      try await shell.done("solar", "site", "update", "Roof", "--set", "capacity_kw=9.8")
      let known = try await shell.fettle("solar", "daily", "Roof", from, to).errors
      #expect(known.contains("fettle solar sample reset") && !known.contains("capacity_kw"), "\(known)")
      try await shell.done("solar", "sample", "reset", "Roof", "--at", "2026-06-10T10:05:00Z")
      let said = try await shell.rows("solar", "daily", "Roof", from, to)[0]
      #expect(said["kwh"] as? Double == 0.3 && said["left_out_kwh"] as? Double == 0)
      // The same file again changes nothing, and does not take the mark away.
      let again = try await shell.rows("solar", "sample", "import", "Roof", file)
      #expect(again[0]["already_there"] as? Int == 3 && again[0]["differing"] as? Int == 0)
      #expect(try await shell.rows("solar", "daily", "Roof", from, to)[0]["kwh"] as? Double == 0.3)
    }
  }

  @Test func `a bad line refuses the file, or is left for later`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("solar", "site", "add", "Roof")
      let file = try shell.file(
        "samples.csv",
        "taken_at,inverter_kw\n2026-03-01T10:00:00Z,\"5,,5\"\n2026-03-01T11:00:00Z,2\nsoon,2\n"
      )
      let refused = try await shell.fettle("solar", "sample", "import", "Roof", file)
      #expect(refused.status == 6)
      #expect(refused.errors.contains("line 2"))
      let rest = shell.folder.appending(path: "rest.csv").path
      let taken = try await shell.rows("solar", "sample", "import", "Roof", file, "--skip-bad", rest)
      #expect(taken[0]["added"] as? Int == 1 && taken[0]["refused"] as? Int == 2)
      #expect(try String(contentsOfFile: rest, encoding: .utf8).contains("soon,2"))
    }
  }

  @Test func `a file with semicolons and decimal commas is read, and an uncertain one is asked about`()
    async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("solar", "site", "add", "Roof")
      let heading = "taken_at;inverter_kw;meter_kwh\n"
      let file = try shell.file("comma.csv", heading + "2026-03-01T10:00:00Z;5,5;1.204,125\n")
      let taken = try await shell.rows("solar", "sample", "import", "Roof", file)
      #expect(taken[0]["added"] as? Int == 1)
      let current = try await shell.rows("solar", "current", "Roof")
      #expect(current[0]["meter_reading"] as? Double == 1_204.125)
      let unclear = try shell.file("unclear.csv", heading + "2026-03-01T11:00:00Z;5,5;1.205\n")
      let asked = try await shell.fettle("solar", "sample", "import", "Roof", unclear)
      #expect(asked.status == 6 && asked.errors.contains("--decimal comma"), "\(asked.errors)")
      let told = try await shell.rows("solar", "sample", "import", "Roof", unclear, "--decimal", "comma")
      #expect(told[0]["added"] as? Int == 1)
      let long = try shell.file("long.csv", heading + "2026-03-01T12:00:00Z;5,12345;\n")
      let refused = try await shell.fettle("solar", "sample", "import", "Roof", long)
      #expect(refused.status == 6 && refused.errors.contains("more than 3 decimals"), "\(refused.errors)")
    }
  }

  @Test(arguments: ["abc", "5,5", "NaN", ""])
  func `an invalid number is not recorded`(value: String) async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("solar", "site", "add", "Roof")
      #expect(try await shell.fettle("solar", "record", "Roof", value, "--as", "ana").status == 6)
      #expect(try await shell.fettle("solar", "record", "Roof", "--as", "ana").status == 5)
      #expect(try await shell.rows("solar", "recordings").isEmpty)
    }
  }

  @Test func `a reading is kept, pushed by a worker to the utility, and its receipt is shown`() async throws {
    let utility = try HookReceiver(.text(201, #"{"ref":"GR-9"}"#))
    defer { utility.stop() }
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      try await shell.done("solar", "site", "add", "Roof")
      try await shell.done("solar", "utility", "set", "Roof", utility.url, "--auth-ref", "grid")
      // Setting it again changes the one there is.
      try await shell.done("solar", "utility", "set", "Roof", utility.url, "--auth-ref", "grid")
      #expect(try await shell.rows("solar", "utility", "list").count == 1)
      let secrets = shell.folder.appending(path: "secrets/acme")
      try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
      let secret = secrets.appending(path: "grid")
      try Data("open sesame\n".utf8).write(to: secret)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
      try await shell.done("solar", "record", "Roof", "3.2", "--as", "ana")
      let now = ISO8601DateFormatter().string(from: Date())
      try await shell.done("solar", "sample", "add", "Roof", "--at", now, "--kw", "2.5")
      try await shell.done("solar", "record", "Roof", "--push", "--as", "ana")
      #expect(try await shell.rows("solar", "push", "list").count == 1)
      let worker = try shell.begin("work", "--allow-private-webhooks")
      try await until { try await shell.rows("solar", "push", "list")[0]["status"] as? String == "pushed" }
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
      let pushed = try await shell.rows("solar", "push", "list")[0]
      #expect(pushed["utility_ref"] as? String == "GR-9")
      #expect(utility.requests.map { $0.headers["authorization"] } == ["Bearer open sesame"])
      #expect(utility.requests[0].headers["idempotency-key"] == pushed["id"] as? String)
      let id = try #require(pushed["id"] as? String)
      #expect(try await shell.fettle("solar", "push", "retry", id, "--as", "eva").status == 5)
    }
  }

  @Test func `a negative number is a value`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("solar", "site", "add", "Roof")
      let sample = try await shell.fettle(
        "solar",
        "sample",
        "add",
        "Roof",
        "--at",
        "2026-03-28T12:00:00Z",
        "--kw",
        "-0.2",
        "--kwh",
        "18230"
      )
      #expect(sample.status == 0, "\(sample.errors)")
      let recorded = try await shell.fettle("solar", "record", "Roof", "-3.2")
      #expect(recorded.status == 6, "\(recorded.errors)")
    }
  }

  @Test func `a reading is not pushed from a site without an account`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("solar", "site", "add", "Roof")
      let now = ISO8601DateFormatter().string(from: Date())
      try await shell.done("solar", "sample", "add", "Roof", "--at", now, "--kw", "4.2")
      let refused = try await shell.fettle("solar", "record", "Roof", "--push")
      #expect(refused.status == 5 && refused.errors.contains("no utility account"), "\(refused.errors)")
      #expect(refused.errors.contains("`fettle solar utility set"))
      try await shell.done("solar", "utility", "set", "Roof", "https://grid.example/readings")
      try await shell.done("solar", "record", "Roof", "--push")
    }
  }
}
