import API
import Domain
import EngineFixtures
import FoundationEssentials
import SyncProtocol
import TestDatabase
import TestTools

/// Devices whose software is not ours, and private records: what a server may not answer to them.
extension SyncWorld {
  /// A device of the administrator that sends what the client library never sends.
  struct Stranger {
    var device: TestDevice
    /// True once the server was restored: its cursor is of before.
    var isOld = false
  }

  /// Sends a change of an unknown record, another change under the same number, and reads what is new.
  mutating func stray(_ generator: inout SeededRandom) async throws {
    var device = try await readStranger()
    let unknown = Self.id(&generator)
    var change = device.change(Self.type, unknown, "patch", ["fields": .object(api.shop.fields())])
    if Bool.random(using: &generator) { change["base_version"] = 1 }
    let refused = try await device.push([change])
    if refused.results.first?["code"] != "not_found" {
      problems.append("a change of an unknown record is answered with \(refused.text)")
    }
    change["fields"] = ["description": .string("w\(generator.next() >> 40)")]
    let copied = try await device.push([change])
    if copied.status != 409 {
      problems.append("another change under a used number is answered with \(copied.text)")
    }
    stranger = Stranger(device: device)
  }

  /// Lets the stranger read what is new; registers one if there is none.
  ///
  /// A cursor of before a restore must be refused: what the server has since given the same numbers would be missed.
  @discardableResult mutating func readStranger() async throws -> TestDevice {
    if var known = stranger?.device {
      known.api = api
      guard stranger?.isOld == true else {
        _ = try await known.pull()
        stranger?.device = known
        return known
      }
      let page = try await known.page()
      // A device that registered after the copy is unknown.
      if page.status != 410, page.status != 404 {
        problems.append("a cursor of before the restore is answered with \(page.text)")
      }
    }
    var device = try await TestDevice.register(api, of: "admin")
    _ = try await device.pull()
    stranger = Stranger(device: device)
    return device
  }

  /// Sends a private record that is refused, and requires that the administrator does not see the refusal.
  mutating func keepSecret(_ index: Int) async throws {
    // The administrator is the first; the membership of the second may be suspended.
    let phone = index == 1 && !phones[1].isOut ? phones[1] : phones[2]
    var device = try await TestDevice.register(api, of: phone.name, app: "macros")
    let fields: JSONObject = ["day_type": "rest", "protein_g": -1, "carbs_g": 200, "fat_g": 60]
    let refused = try await device.push([
      device.change("macros.goal", UUID(), "create", ["fields": .object(fields)])
    ])
    if refused.kinds != ["rejected"] { problems.append("a wrong goal is answered with \(refused.text)") }
    let status = try await api.get("/v1/sync/status?all=true", as: phones[0].caller)
    // The role of the administrator's copied phone may have changed.
    if status.status != 200, status.code != .forbidden {
      problems.append("the list of waiting changes is answered with \(status.text)")
    }
    let types = Set(status.items.compactMap { $0["type"]?.string })
    if types.contains("macros.goal") { problems.append("the administrator sees a private change") }
  }
}
