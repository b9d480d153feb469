import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct SiteTests {
  @Test(arguments: ["Asia/Katmandoo", "UTC+2", "Mars/Olympus", ""])
  func `a time zone that PostgreSQL does not know is refused`(zone: String) async throws {
    let shop = try await Workshop.open()
    let error = try await refused {
      _ = try await shop.records.create(
        shop.acting("admin"),
        type: "solar.site",
        fields: ["name": "Roof", "timezone": .string(zone)]
      )
    }
    #expect(error.code == .invalidTimeZone)
  }

  @Test(arguments: [
    ("GMT+2", nil), ("localtime", nil), ("posixrules", nil), ("right/Europe/Paris", "Europe/Paris"),
    ("Europe/Pariss", "Europe/Paris"), ("Asia/Katmandoo", "Asia/Kathmandu"),
  ])
  func `the hint for a time zone is one that is accepted, and of the same sign`(zone: String, meant: String?)
    async throws
  {
    let shop = try await Workshop.open()
    for (type, fields) in [
      ("solar.site", ["name": "Roof", "timezone": .string(zone)]),
      ("macros.profile", ["timezone": .string(zone)]),
    ] as [(String, JSONObject)] {
      let error = try await refused {
        _ = try await shop.records.create(shop.acting("admin"), type: type, fields: fields)
      }
      #expect(error.code == .invalidTimeZone)
      let hint = meant.map { "did you mean \($0)?" }
      #expect(error.hint == hint ?? "use a name such as Europe/Stockholm or America/New_York", "\(type)")
    }
  }

  @Test func `a zone is checked when it is changed, too`() async throws {
    let roof = try await Roof.open(zone: "Asia/Kathmandu")
    let error = try await refused {
      _ = try await roof.shop.records.update(
        roof.shop.acting("admin"),
        type: "solar.site",
        id: roof.site,
        fields: ["timezone": "Asia/Nowhere"]
      )
    }
    #expect(error.code == .invalidTimeZone)
  }

  @Test(
    arguments: [
      [:], ["url": "ftp://inverter.example"], ["url": "http://inverter.example"],
      ["url": "https://user:word@inverter.example"], ["url": "https://i.example", "token": "abc"],
      ["url": "https://i.example", "auth_ref": "../key"],
    ] as [JSONObject]
  )
  func `a site that is polled says where, over https, and holds no secret`(config: JSONObject) async throws {
    let shop = try await Workshop.open()
    let error = try await refused {
      _ = try await shop.records.create(
        shop.acting("admin"),
        type: "solar.site",
        fields: ["name": "Roof", "source_kind": "poll", "source_config": .object(config)]
      )
    }
    #expect(error.category == .invalid, "\(error)")
  }

  @Test(arguments: ["http://grid.example/", "grid.example", "https://", "http://localhost.evil.example/"])
  func `readings leave encrypted or not at all`(endpoint: String) async throws {
    let roof = try await Roof.open()
    let error = try await refused {
      _ = try await roof.shop.records.create(
        roof.shop.acting("admin"),
        type: "solar.utility_account",
        fields: ["site_id": .id(roof.site), "endpoint": .string(endpoint)]
      )
    }
    #expect(error.code == .invalidInput)
  }

  @Test func `a utility account is the administrators' own`() async throws {
    let roof = try await Roof.open()
    let id = try await roof.shop.records.create(
      roof.shop.acting("admin"),
      type: "solar.utility_account",
      fields: ["site_id": .id(roof.site), "endpoint": "https://grid.example/in", "auth_ref": "grid"]
    ).id
    let error = try await refused {
      _ = try await roof.shop.records.show(roof.shop.acting("user"), type: "solar.utility_account", id: id)
    }
    #expect(error.code == .notFound || error.code == .forbidden)
    let second = try await refused {
      _ = try await roof.shop.records.create(
        roof.shop.acting("admin"),
        type: "solar.utility_account",
        fields: ["site_id": .id(roof.site), "endpoint": "https://other.example/in"]
      )
    }
    #expect(second.code == .alreadyExists)
  }

  @Test func `a site that is polled leaves the job that asks it`() async throws {
    let shop = try await Workshop.open()
    let admin = shop.acting("admin")
    let site = try await shop.records.create(
      admin,
      type: "solar.site",
      fields: [
        "name": "Barn", "source_kind": "poll", "source_config": ["url": "https://inverter.example/now"],
      ]
    )
    _ = try await shop.records.create(admin, type: "solar.site", fields: ["name": "Roof"])
    let causes = try await shop.engine.superuser.rows(
      """
      select p.cause_id from core.job j
      join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
      where j.company_id = \(shop.company.id) and j.kind = 'solar.poll'
      """,
      UUID.self
    )
    #expect(causes == [site.id])
  }
}
