import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Hours of a timesheet, as stored in companies of two time zones.
@Suite struct HoursTests {
  struct Sheet: Sendable, CustomTestStringConvertible {
    let date: String
    let start: String
    let end: String
    var lunch = false
    let stockholm: String
    let utc: String

    var testDescription: String { "\(date) \(start)-\(end)\(lunch ? " lunch" : "")" }
  }

  private static let sheets = [
    Sheet(date: "2026-01-15", start: "08:00", end: "16:30", lunch: true, stockholm: "8.00", utc: "8.00"),
    Sheet(date: "2026-01-15", start: "08:00", end: "08:20", lunch: true, stockholm: "0.00", utc: "0.00"),
    Sheet(date: "2026-01-15", start: "22:00", end: "06:00", stockholm: "8.00", utc: "8.00"),
    Sheet(date: "2026-03-28", start: "22:00", end: "06:00", stockholm: "7.00", utc: "8.00"),
    Sheet(date: "2026-10-24", start: "22:00", end: "06:00", stockholm: "9.00", utc: "8.00"),
    Sheet(date: "2026-10-24", start: "22:00", end: "06:00", lunch: true, stockholm: "8.50", utc: "7.50"),
    Sheet(date: "2026-01-15", start: "08:00", end: "08:01", stockholm: "0.02", utc: "0.02"),
    Sheet(date: "2026-01-15", start: "08:00", end: "00:00", stockholm: "16.00", utc: "16.00"),
    Sheet(date: "2026-01-15", start: "07:30", end: "00:00", lunch: true, stockholm: "16.00", utc: "16.00"),
    Sheet(date: "2024-02-28", start: "23:00", end: "01:30", stockholm: "2.50", utc: "2.50"),
  ]

  @Test(arguments: sheets)
  func `hours are what really passed where the company is`(_ sheet: Sheet) async throws {
    for (zone, expected) in [("Europe/Stockholm", sheet.stockholm), ("UTC", sheet.utc)] {
      let shop = try await Workshop.open(timeZone: zone, roles: ["user"])
      let entry = try await shop.entry()
      let time = try await Self.log(
        sheet.date,
        sheet.start,
        sheet.end,
        lunch: sheet.lunch,
        on: entry,
        in: shop
      )
      let shown = try await shop.records.show(shop.acting("user"), type: "maintenance.time_entry", id: time)
      #expect(shown["actual_hours"]?.number?.text == expected, "\(zone)")
      let logged = try await shop.records.show(shop.acting("user"), type: "maintenance.entry", id: entry)
      #expect(logged["hours_logged"]?.number?.text == expected, "\(zone)")
    }
  }

  @Test(arguments: [
    ("2026-01-15", "08:00", "08:00", ErrorCode.equalTimes),
    ("2026-01-15", "16:30", "15:00", .over16Hours),
    ("2026-01-15", "8:00 AM", "16:30", .invalidTime),
    ("2026-01-15", "8:00", "16:30", .invalidTime),
    ("2026-01-15", "08:00", "24:00", .invalidTime),
    ("2026-01-15", "08:00:00", "16:30", .invalidTime),
    ("2026-02-30", "08:00", "16:30", .invalidDate),
    ("15.01.2026", "08:00", "16:30", .invalidDate),
  ])
  func `invalid hours are refused`(
    _ date: String,
    _ start: String,
    _ end: String,
    _ code: ErrorCode
  ) async throws {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["user"])
    let entry = try await shop.entry()
    let error = try await refused {
      _ = try await Self.log(date, start, end, lunch: false, on: entry, in: shop)
    }
    #expect(error.code == code, "\(error)")
  }

  @Test(arguments: [
    ("2026-03-29", "02:30", "03:15"), ("2026-03-29", "02:30", "04:00"), ("2026-03-29", "01:30", "02:30"),
    ("2026-03-28", "22:00", "02:00"),
  ])
  func `an hour that the clocks skipped did not happen`(_ date: String, _ start: String, _ end: String)
    async throws
  {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["user"])
    let entry = try await shop.entry()
    let error = try await refused {
      _ = try await Self.log(date, start, end, lunch: false, on: entry, in: shop)
    }
    #expect(error.code == .invalidTime && error.message.contains("on 2026-03-29"), "\(error)")
    // It is an hour like others elsewhere, and stays as it is when the company moves.
    let other = try await Workshop.open(timeZone: "UTC", roles: ["user"])
    let time = try await Self.log(date, start, end, lunch: false, on: other.entry(), in: other)
    let company = other.company.id
    try await other.engine.superuser.transaction { tx in
      try tx.execute("update core.company set timezone = 'Europe/Stockholm' where id = \(company)")
    }
    guard start != "02:30" else { return }
    _ = try await other.records.update(
      other.acting("user"),
      type: "maintenance.time_entry",
      id: time,
      fields: ["has_lunch": true]
    )
  }

  @Test func `an edit of one field recomputes the hours`() async throws {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["user"])
    let entry = try await shop.entry()
    let time = try await Self.log("2026-03-28", "22:00", "06:00", lunch: false, on: entry, in: shop)
    func edit(_ fields: JSONObject) async throws -> String? {
      _ = try await shop.records.update(
        shop.acting("user"),
        type: "maintenance.time_entry",
        id: time,
        fields: fields
      )
      return try await shop.records.show(shop.acting("user"), type: "maintenance.time_entry", id: time)[
        "actual_hours"
      ]?
      .number?.text
    }
    #expect(try await edit(["work_date": "2026-03-27"]) == "8.00")
    #expect(try await edit(["end_time": "07:00"]) == "9.00")
    #expect(try await edit(["has_lunch": true]) == "8.50")
    #expect(try await refused { _ = try await edit(["end_time": "22:00"]) }.code == .equalTimes)
    #expect(try await refused { _ = try await edit(["actual_hours": 99]) }.code == .fieldNotEditable)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `a member's name is stamped, and a guest has to be named`() async throws {
    let shop = try await Workshop.open(roles: ["user"])
    let entry = try await shop.entry()
    var fields = Self.fields("2026-01-15", "08:00", "09:00", lunch: false, on: entry)
    fields["user_name"] = nil
    let unnamed = fields
    let error = try await refused {
      _ = try await shop.records.create(shop.acting("user"), type: "maintenance.time_entry", fields: unnamed)
    }
    #expect(error.code == .guestNameMissing)
    fields["user_id"] = .id(shop.acting("user").user ?? UUID())
    let time = try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.time_entry",
      fields: fields
    )
    let shown = try await shop.records.show(shop.acting("user"), type: "maintenance.time_entry", id: time.id)
    #expect(shown["user_name"] == "Member user")
    let owner = try #require(shop.members["owner"])
    _ = try await shop.records.update(
      shop.acting("owner"),
      type: "maintenance.time_entry",
      id: time.id,
      fields: ["user_id": .id(owner.userID)]
    )
    let handed = try await shop.records.show(shop.acting("user"), type: "maintenance.time_entry", id: time.id)
    #expect(handed["user_name"] == "Olga Owner")
    fields["user_id"] = .id(UUID())
    let stranger = fields
    #expect(
      try await refused {
        _ = try await shop.records.create(
          shop.acting("user"),
          type: "maintenance.time_entry",
          fields: stranger
        )
      }.code == .notFound
    )
  }

  private static func log(
    _ date: String,
    _ start: String,
    _ end: String,
    lunch: Bool,
    on entry: UUID,
    in shop: Workshop
  ) async throws -> UUID {
    try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.time_entry",
      fields: fields(date, start, end, lunch: lunch, on: entry)
    ).id
  }

  private static func fields(_ date: String, _ start: String, _ end: String, lunch: Bool, on entry: UUID)
    -> JSONObject
  {
    [
      "entry_id": .id(entry), "user_name": "Guest", "work_date": .string(date), "start_time": .string(start),
      "end_time": .string(end), "has_lunch": .bool(lunch),
    ]
  }
}
