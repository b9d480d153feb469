import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Glibc
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct SampleTests {
  @Test func `a site without a sample has no reading, which is not zero`() async throws {
    let roof = try await Roof.open()
    let error = try await refused {
      _ = try await roof.energy.current(roof.shop.acting("viewer"), site: roof.site)
    }
    #expect(error.code == .noReading)
    #expect(error.category == .notFound)
    #expect(try await roof.energy.current(roof.shop.acting("viewer")).isEmpty)
  }

  @Test func `the current reading has the keys and the exact numbers that phones expect`() async throws {
    let roof = try await Roof.open()
    try await roof.sample(secondsAgo: 300, kw: "-0.125", kwh: "18234.567")
    let reading = try await roof.energy.current(roof.shop.acting("viewer"), site: roof.site)
    #expect(reading.inverterReading == "-0.125")
    #expect(reading.meterReading == "18234.567")
    #expect(reading.ageSeconds >= 300)
    #expect(reading.isStale)
    try await roof.sample(secondsAgo: 10, kw: "0", kwh: "18234.567")
    #expect(try await roof.energy.current(roof.shop.acting("viewer"), site: roof.site).isStale == false)
    let document = try await roof.shop.engine.superuser.value(
      "select to_jsonb(c)::text from solar.v_current c where c.company_id = \(roof.shop.company.id)",
      as: String.self
    )
    let keys = try JSONValue(parsing: document).object?.keys ?? []
    #expect(
      Set(keys) == [
        "company_id", "site_id", "inverter_reading", "meter_reading", "timestamp", "age_seconds", "stale",
      ]
    )
  }

  @Test func `a reading is stale after two minutes`() async throws {
    let roof = try await Roof.open()
    try await roof.sample(secondsAgo: 130, kw: "1")
    #expect(try await roof.energy.current(roof.shop.acting("viewer"), site: roof.site).isStale)
    // A margin of a minute and a half for a slow machine.
    try await roof.sample(secondsAgo: 30, kw: "1")
    #expect(try await roof.energy.current(roof.shop.acting("viewer"), site: roof.site).isStale == false)
  }

  @Test func `the same samples again add nothing, and other numbers do not slip in`() async throws {
    let roof = try await Roof.open()
    let readings = [("2026-03-01T06:00:00Z", "100"), ("2026-03-01T07:00:00Z", "101")]
    #expect(try await roof.measure(readings).added == 2)
    let again = try await roof.measure(readings)
    #expect((again.added, again.alreadyThere, again.differing) == (0, 2, 0))
    let changed = try await roof.measure([("2026-03-01T07:00:00Z", "150"), ("2026-03-01T08:00:00Z", "151")])
    #expect((changed.added, changed.alreadyThere, changed.differing) == (1, 1, 1))
    let stored = try await roof.samples.list(roof.shop.acting("user"), site: roof.site, limit: 10)
    #expect(stored.map(\.meterKWh) == ["151.000", "101.000", "100.000"])
  }

  @Test func `a sample of the future refuses the batch, one from a clock slightly ahead does not`()
    async throws
  {
    let roof = try await Roof.open()
    try await roof.sample(secondsAgo: -240, kw: "1")
    let error = try await refused { try await roof.sample(secondsAgo: -400, kw: "1") }
    #expect(error.code == .badTimestamp)
    #expect(try await roof.samples.list(roof.shop.acting("user"), site: roof.site, limit: 10).count == 1)
  }

  @Test(arguments: [(nil, nil), ("1", "-1"), ("12345678", nil), (nil, "123456789012")])
  func `a sample without numbers, or with impossible ones, is refused`(kw: String?, kwh: String?) throws {
    #expect(throws: DomainError.self) {
      _ = try SolarSample(
        takenAt: Instant(seconds: 0),
        inverterKW: try kw.map { text in try ExactDecimal(parsing: text) },
        meterKWh: try kwh.map { text in try ExactDecimal(parsing: text) }
      )
    }
  }

  @Test func `a reader may not write, and nobody sees another company's samples`() async throws {
    let roof = try await Roof.open()
    let other = try await Roof.open()
    try await roof.measure([("2026-03-01T06:00:00Z", "100")])
    let sample = try SolarSample(
      takenAt: Instant(parsing: "2026-03-01T07:00:00Z"),
      inverterKW: nil,
      meterKWh: ExactDecimal(parsing: "101")
    )
    for name in ["user", "viewer", "admin", "owner"] {
      let error = try await refused {
        _ = try await roof.samples.add(roof.shop.acting(name), site: roof.site, [sample])
      }
      #expect(error.code == .forbidden, "\(name)")
    }
    let error = try await refused {
      _ = try await other.samples.add(other.shop.acting("service"), site: roof.site, [sample])
    }
    #expect(error.code == .notFound)
    #expect(try await other.samples.list(other.shop.acting("user"), site: roof.site, limit: 10).isEmpty)
    #expect(try await other.energy.current(other.shop.acting("user")).isEmpty)
  }

  @Test func `a file is taken whole or not at all, and again adds nothing`() async throws {
    let roof = try await Roof.open()
    let lines = (0..<5_000).map { minute in
      let moment = Instant(seconds: 1_772_323_200 + Int64(minute) * 60)
      return "\(moment.rfc3339),\(minute % 7).25,\(10_000 + minute)"
    }
    let heading = "Time,P,E"
    let columns = try SampleColumns([("taken_at", "Time"), ("inverter_kw", "P"), ("meter_kwh", "E")])
    let good = try File(([heading] + lines).joined(separator: "\n"))
    let bad = try File(
      ([heading] + lines + ["yesterday,1,2", "2026-01-01T00:00:00Z,\"5,,5\",2"]).joined(separator: "\n")
    )
    defer {
      good.remove()
      bad.remove()
    }
    let administration = roof.shop.operatorContext
    let refusal = try await refused {
      _ = try await roof.samples.read(administration, site: roof.site, path: bad.path, columns: columns)
    }
    #expect(refusal.code == .invalidImport)
    #expect(refusal.message.contains("line 5002"))
    #expect(try await roof.samples.list(administration, site: roof.site, limit: 1).isEmpty)
    let skipped = try await roof.samples.read(
      administration,
      site: roof.site,
      path: bad.path,
      columns: columns,
      skipsBad: true
    )
    #expect(skipped.added == 5_000)
    #expect(skipped.refused.map(\.line) == [5_002, 5_003])
    let again = try await roof.samples.read(
      administration,
      site: roof.site,
      path: good.path,
      columns: columns
    )
    #expect((again.added, again.alreadyThere, again.differing) == (0, 5_000, 0))
  }

  @Test func `a file that begins in the second of two equal hours is not taken for the first`() async throws {
    let roof = try await Roof.open(zone: "Europe/Stockholm")
    let heading = "taken_at,meter_kwh\n"
    let first = try File(heading + "2025-10-26 01:30,100\n2025-10-26 02:00,101\n2025-10-26 02:30,102\n")
    let second = try File(heading + "2025-10-26 02:00,103\n2025-10-26 02:30,104\n2025-10-26 03:00,105\n")
    let stated = try File(
      heading + "2025-10-26 02:00:00+01:00,103\n2025-10-26 02:30,104\n2025-10-26 03:00,105\n"
    )
    defer { for file in [first, second, stated] { file.remove() } }
    let administration = roof.shop.operatorContext
    for added in [3, 0] {
      let outcome = try await roof.samples.read(administration, site: roof.site, path: first.path)
      #expect(outcome.added == added && outcome.differing == 0)
    }
    let refusal = try await refused {
      _ = try await roof.samples.read(administration, site: roof.site, path: second.path)
    }
    #expect(refusal.code == .invalidImport && refusal.message.contains("offset from UTC"), "\(refusal)")
    for added in [3, 0] {
      let outcome = try await roof.samples.read(administration, site: roof.site, path: stated.path)
      #expect(outcome.added == added && outcome.differing == 0)
    }
  }

  @Test func `a correction changes what it names, and keeps the rest`() async throws {
    let roof = try await Roof.open()
    let (admin, moment) = (roof.shop.acting("admin"), try Instant(parsing: "2026-03-01T06:00:00Z"))
    let sample = try SolarSample(
      takenAt: moment,
      inverterKW: ExactDecimal(parsing: "2"),
      meterKWh: ExactDecimal(parsing: "100"),
      firstKWh: ExactDecimal(parsing: "40")
    )
    _ = try await roof.samples.add(roof.shop.acting("service"), site: roof.site, [sample])
    func stored() async throws -> [String?] {
      let rows = try await roof.samples.list(admin, site: roof.site, limit: 2)
      #expect(rows.count == 1)
      return rows.flatMap { [$0.inverterKW, $0.meterKWh, $0.firstKWh] }
    }
    let power = try SampleCorrection(
      takenAt: moment,
      inverterKW: .replaced(ExactDecimal(parsing: "1.5"))
    )
    let (old, new) = try await roof.samples.correct(admin, site: roof.site, power)
    #expect(old?.inverterKW == "2.000" && new.meterKWh?.text == "100.000" && new.firstKWh?.text == "40.000")
    #expect(try await stored() == ["1.500", "100.000", "40.000"])
    let unmarked = try SampleCorrection(takenAt: moment, mark: .removed)
    _ = try await roof.samples.correct(admin, site: roof.site, unmarked)
    #expect(try await stored() == ["1.500", "100.000", nil])
    let marked = try SampleCorrection(takenAt: moment, mark: .begins(nil))
    _ = try await roof.samples.correct(admin, site: roof.site, marked)
    // The mark belongs to the reading and goes with it.
    let unread = try SampleCorrection(takenAt: moment, meterKWh: .removed)
    _ = try await roof.samples.correct(admin, site: roof.site, unread)
    #expect(try await stored() == ["1.500", nil, nil])
    let nothing = try SampleCorrection(takenAt: moment, inverterKW: .removed)
    let empty = try await refused {
      _ = try await roof.samples.correct(admin, site: roof.site, nothing)
    }
    #expect(empty.code == .missingFields)
    #expect(try await stored() == ["1.500", nil, nil])
    #expect(throws: DomainError.self) { _ = try SampleCorrection(takenAt: moment) }
  }

  @Test func `a file without the columns says which it has`() async throws {
    let roof = try await Roof.open()
    let file = try File("when,what\n1,2\n")
    defer { file.remove() }
    let error = try await refused {
      _ = try await roof.samples.read(roof.shop.operatorContext, site: roof.site, path: file.path)
    }
    #expect(error.code == .unknownFields)
    #expect(error.hint.contains("when, what"))
  }

  @Test func `a line with another number of fields is refused, and a heading is found in any case`()
    async throws
  {
    let roof = try await Roof.open()
    let file = try File(
      "Taken_At,inverter_kW,METER_KWH\n2026-03-01T06:00:00Z,1200,5,1,5\n2026-03-01T07:00:00Z,1.5,100\n"
    )
    defer { file.remove() }
    let operators = roof.shop.operatorContext
    let outcome = try await roof.samples.read(operators, site: roof.site, path: file.path, skipsBad: true)
    #expect(outcome.added == 1)
    #expect(outcome.refused.map(\.reason) == ["the line has 5 fields, the heading has 3"])
    let stored = try await roof.samples.list(operators, site: roof.site, limit: 10)
    #expect(stored.map(\.inverterKW) == ["1.500"] && stored.map(\.meterKWh) == ["100.000"])
    let error = try await refused {
      _ = try await roof.samples.read(
        operators,
        site: roof.site,
        path: file.path,
        columns: try SampleColumns([("inverter_kw", "KW")])
      )
    }
    #expect(error.code == .unknownFields && error.message == "the file has no column \"KW\"")
  }

  /// A temporary file.
  private struct File {
    let path: String

    init(_ text: String) throws {
      path = "/tmp/fettle-samples-\(UUID().uuidString).csv"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      let bytes = Array(text.utf8)
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    func remove() { unlink(path) }
  }
}
