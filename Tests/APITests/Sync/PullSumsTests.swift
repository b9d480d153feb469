import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// A device shows the same columns as the API, also after a change of a record that they are computed from.
@Suite(.timeLimit(.minutes(60))) struct PullSumsTests {
  /// A device as a client in another language would write it: the last state of each record that it was sent.
  private struct Store {
    var device: TestDevice
    var records: [String: [String: JSONObject]] = [:]

    mutating func pull() async throws {
      for change in try await device.pull(limit: 7) {
        let (type, id) = (change["type"]?.string ?? "", change["id"]?.string ?? "")
        records[type, default: [:]][id] = change["op"] == "put" ? change["fields"]?.object : nil
      }
    }

    /// Pulls, and requires that every column of every record is what the API shows.
    mutating func requireEqual(_ step: String) async throws {
      try await pull()
      let types = device.api.services.catalogue.current.types
      for type in types {
        let path = "/v1/\(type.name.split(separator: ".").joined(separator: "/"))"
        let list = try await device.api.get("\(path)?limit=200", as: device.caller)
        guard list.status == 200 else { continue }
        var shown: [String: JSONObject] = [:]
        for var record in list.items {
          record["allowed"] = nil
          for column in type.definition.clock { record[column] = nil }
          shown[record["id"]?.string ?? ""] = record
        }
        let mine = records[type.name] ?? [:]
        #expect(Set(mine.keys) == Set(shown.keys), "\(step): \(type.name)")
        for (id, record) in shown {
          let names = Set(record.keys).union(mine[id]?.keys ?? [])
          let other = names.filter { mine[id]?[$0] != record[$0] }.sorted()
          #expect(other.isEmpty, "\(step): \(type.name) has other \(other)")
        }
      }
    }
  }

  /// A request as the administrator, which must succeed.
  @discardableResult
  private static func act(_ api: APIFixture, _ method: APIMethod, _ path: String, _ body: JSONObject? = nil)
    async throws -> JSONObject
  {
    let caller = try api.member("admin")
    let answer = try await api.send(method, path, body.map { .json($0) } ?? .none, as: caller)
    #expect(answer.status < 300, "\(path): \(answer.text)")
    return answer.json
  }

  @Test func `every column is what the API shows, whatever else was changed`() async throws {
    let api = try await TestDevice.api()
    var store = Store(device: try await TestDevice.register(api, of: "admin", app: nil))
    try await store.requireEqual("begin")
    func act(_ step: String, _ method: APIMethod, _ path: String, _ body: JSONObject? = nil) async throws
      -> String
    {
      let answer = try await Self.act(api, method, path, body)
      try await store.requireEqual(step)
      return answer["id"]?.string ?? ""
    }
    let (machine, category) = (api.shop.machine.text, api.shop.category.text)
    let admin = try #require(api.shop.members["admin"]).userID.text
    let entry = try await act(
      "entry",
      .post,
      "/v1/maintenance/entry",
      api.shop.fields(["estimated_hours": 4])
    )
    let hours: JSONObject = [
      "entry_id": .string(entry), "user_id": .string(admin), "user_name": "Ana", "work_date": "2026-01-05",
      "start_time": "08:00", "end_time": "10:00",
    ]
    let time = try await act("hours", .post, "/v1/maintenance/time_entry", hours)
    _ = try await act("longer", .patch, "/v1/maintenance/time_entry/\(time)", ["end_time": "11:30"])
    _ = try await act("machine's code", .patch, "/v1/maintenance/machine/\(machine)", ["code": "RM-900"])
    _ = try await act("category's name", .patch, "/v1/maintenance/category/\(category)", ["name": "Engines"])
    let meter = try await act(
      "meter",
      .post,
      "/v1/maintenance/meter",
      ["machine_id": .string(machine), "name": "Hours", "unit": "h"]
    )
    _ = try await act(
      "plan",
      .post,
      "/v1/maintenance/pm_plan",
      [
        "machine_id": .string(machine), "category_id": .string(category), "title": "Oil", "every_units": 250,
        "meter_id": .string(meter),
      ]
    )
    for (value, day) in [(100, "01"), (180, "02")] {
      _ = try await act(
        "reading \(value)",
        .post,
        "/v1/maintenance/meter_reading",
        [
          "meter_id": .string(meter), "value": .integer(value),
          "taken_at": .string("2026-01-\(day)T08:00:00Z"),
        ]
      )
    }
    _ = try await act("meter's name", .patch, "/v1/maintenance/meter/\(meter)", ["name": "Running hours"])
    let other = try await act(
      "machine",
      .post,
      "/v1/maintenance/machine",
      ["code": "RM-002", "name": "Roller"]
    )
    let second = try await act(
      "second category",
      .post,
      "/v1/maintenance/category",
      ["machine_id": .string(other), "name": "Drum"]
    )
    let moved: JSONObject = ["machine_id": .string(other), "category_id": .string(second)]
    _ = try await act("moved to another machine", .patch, "/v1/maintenance/entry/\(entry)", moved)
    _ = try await act("start", .post, "/v1/maintenance/entry/\(entry)/do/start", [:])
    _ = try await act("complete", .post, "/v1/maintenance/entry/\(entry)/do/complete", [:])
    _ = try await act("hours deleted", .delete, "/v1/maintenance/time_entry/\(time)")
    _ = try await act("entry deleted", .delete, "/v1/maintenance/entry/\(entry)")
    let item = try await act(
      "item",
      .post,
      "/v1/inventory/item",
      ["name": "Drill", "category": "Tools", "purchase_date": "2026-01-05", "warranty_months": 24]
    )
    _ = try await act(
      "claim",
      .post,
      "/v1/inventory/claim",
      ["item_id": .string(item), "issue": "It does not turn"]
    )
    _ = try await act("item's name", .patch, "/v1/inventory/item/\(item)", ["name": "Hammer drill"])
    let trip = try await act(
      "trip",
      .post,
      "/v1/trips/plan",
      ["title": "Lofoten", "starts_on": "2026-06-01"]
    )
    for day in 1...2 {
      _ = try await act(
        "stop \(day)",
        .post,
        "/v1/trips/stop",
        ["plan_id": .string(trip), "day_no": .integer(day), "position": 1, "name": .string("Stop \(day)")]
      )
    }
    _ = try await act("trip's first day", .patch, "/v1/trips/plan/\(trip)", ["starts_on": "2026-07-01"])
  }

  @Test func `a change puts those records into the feed that show something of it, and no others`()
    async throws
  {
    let api = try await TestDevice.api()
    let dependants = api.services.catalogue.current.dependants
    #expect(
      dependants.dependants(of: "maintenance.time_entry") == ["maintenance.entry", "maintenance.machine"]
    )
    #expect(
      dependants.dependants(of: "maintenance.machine") == [
        "maintenance.entry", "maintenance.meter", "maintenance.pm_plan",
      ]
    )
    #expect(
      dependants.dependants(of: "maintenance.meter_reading") == ["maintenance.meter", "maintenance.pm_plan"]
    )
    #expect(dependants.dependants(of: "macros.entry").isEmpty)
    var device = try await TestDevice.register(api, of: "admin")
    let entry = try await api.shop.entry()
    _ = try await device.pull()
    // A column of the machine that no other type shows.
    let machine = "/v1/maintenance/machine/\(api.shop.machine.text)"
    try await Self.act(api, .patch, machine, ["name": "Another name"])
    #expect(try await device.pull().compactMap { $0["type"]?.string } == ["maintenance.machine"])
    try await Self.act(api, .patch, machine, ["code": "RM-777"])
    let told = try await device.pull()
    #expect(Set(told.compactMap { $0["type"]?.string }) == ["maintenance.machine", "maintenance.entry"])
    // The record comes again with the version that it has.
    let shown = try #require(told.first { $0["id"]?.string == entry.text })
    #expect(shown["version"] == 1)
    #expect(shown["fields"]?.object?["machine_code"] == "RM-777")
  }

  @Test func `columns that depend on the time are declared by the manifests, and not sent to devices`()
    async throws
  {
    let api = try await TestDevice.api()
    for type in api.services.catalogue.current.types {
      var found: [String] = []
      for column in type.viewColumns.map(\.name) {
        let plan = try await api.shop.engine.superuser.rows(
          "explain (verbose, costs off) select v.\(identifier: column) from \(type.view) v",
          String.self
        ).joined(separator: " ").lowercased()
        let clocks = ["now()", "current_date", "current_timestamp", "localtimestamp", "clock_timestamp()"]
        if clocks.contains(where: plan.contains) { found.append(column) }
      }
      #expect(Set(found) == Set(type.definition.clock), "\(type.name)")
    }
    var device = try await TestDevice.register(api, of: "admin")
    let entry = try await api.shop.entry()
    let pulled = try #require(try await device.pull().last { $0["id"]?.string == entry.text })
    #expect(pulled["fields"]?.object?["age_days"] == nil)
    #expect(pulled["fields"]?.object?["hours_logged"] == 0)
  }
}
