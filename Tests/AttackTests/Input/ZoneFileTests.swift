import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import Testing

/// Names that PostgreSQL lists as time zones although they are none.
@Suite(.timeLimit(.minutes(60))) struct ZoneFileTests {
  @Test(arguments: [
    "posixrules", "localtime", "Factory", "posix/Europe/Stockholm", "right/Europe/Stockholm", "UTC+2",
    "EST6EDT", "../etc/passwd", "Europe/Stockholm'; select 1",
  ])
  func `a file of the zone database is no time zone of a company`(name: String) async throws {
    let shop = try await Workshop.open()
    let companies = Companies(shop.engine.operators)
    let error = try await refused {
      _ = try await companies.create(
        slug: "zone-\(shop.company.slug)",
        name: "Zone",
        timeZone: name,
        owner: nil,
        actor: .operator("tests")
      )
    }
    #expect(error.code == .invalidTimeZone)
    #expect(error.hint.contains("/"), "\(error.hint)")
  }

  @Test(arguments: ["posixrules", "localtime", "right/Europe/Stockholm"])
  func `a record with a time zone refuses them too`(name: String) async throws {
    let shop = try await Workshop.open()
    let error = try await refused {
      _ = try await shop.records.create(
        shop.operatorContext,
        type: "solar.site",
        fields: ["name": "Roof", "timezone": .string(name)]
      )
    }
    #expect(error.code == .invalidTimeZone)
  }
}
