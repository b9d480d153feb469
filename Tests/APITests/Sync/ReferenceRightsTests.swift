import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// A member refers only to records that the member's role reads.
@Suite(.timeLimit(.minutes(60))) struct ReferenceRightsTests {
  private static let hours = "maintenance.time_entry"

  /// Opens the API with a member who reads their own orders alone, and returns that member's device.
  private static func helper() async throws -> TestDevice {
    let api = try await TestDevice.api()
    let (operators, context) = (api.shop.engine.operators, api.shop.operatorContext)
    let member = try #require(api.shop.members["user"])
    let permissions = [
      "maintenance.entry.read.own", "maintenance.entry.create", "maintenance.time_entry.read.own",
      "maintenance.time_entry.create",
      "maintenance.time_entry.update.own",
    ]
    _ = try await Roles(operators).define(
      context,
      name: "helper",
      label: nil,
      from: nil,
      permissions: permissions
    )
    _ = try await Members(operators).setRole(context, member: member.email, role: "helper")
    return try await TestDevice.register(api, of: "user")
  }

  private static func fields(_ entry: String, _ start: String, of device: TestDevice) -> JSONObject {
    [
      "entry_id": .string(entry), "user_id": .id(device.caller.user), "work_date": "2026-01-15",
      "start_time": .string(start), "end_time": "20:00",
    ]
  }

  @Test func `hours on an order that the member may not read are refused in every way in`() async throws {
    var device = try await Self.helper()
    let api = device.api
    let (own, other) = try await (api.shop.entry("user"), api.shop.entry("admin"))
    let number = try await api.get("/v1/maintenance/entry/\(other.text)", as: api.member("admin"))
      .json["number"]?.string
    for name in [other.text, try #require(number)] {
      let fields = Self.fields(name, "08:00", of: device)
      let single = try await api.post("/v1/maintenance/time_entry", fields, as: device.caller)
      #expect(single.status == 404 || single.code == .invalidID, "\(single.text)")
      let pushed = try await device.push([
        device.change(Self.hours, UUID(), "create", ["fields": .object(fields)])
      ])
      #expect(pushed.kinds == ["rejected"], "\(pushed.text)")
    }
    let mine = Self.fields(own.text, "08:00", of: device)
    let made = try await api.post("/v1/maintenance/time_entry", mine, as: device.caller)
    #expect(made.status == 201, "\(made.text)")
    // An order and its hours, made offline together.
    let order = UUID()
    var hours = Self.fields(order.text, "19:00", of: device)
    hours["work_date"] = "2026-01-16"
    let pushed = try await device.push([
      device.change("maintenance.entry", order, "create", ["fields": .object(api.shop.fields())]),
      device.change(Self.hours, UUID(), "create", ["fields": .object(hours)]),
    ])
    #expect(pushed.kinds == ["applied", "applied"], "\(pushed.text)")
  }

  @Test func `the number of an order that the member may not read names nothing`() async throws {
    let device = try await Self.helper()
    let api = device.api
    let other = try await api.shop.entry("admin")
    let shown = try await api.get("/v1/maintenance/entry/\(other.text)", as: api.member("admin"))
    let number = try #require(shown.json["number"]?.string)
    #expect(try await api.get("/v1/maintenance/entry/\(number)", as: device.caller).status == 404)
  }
}
