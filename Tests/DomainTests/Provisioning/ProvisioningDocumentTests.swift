import Testing

@testable import Domain

@Suite struct ProvisioningDocumentTests {
  @Test func `a file names companies with people, records and the rest`() throws {
    let company = try ProvisioningFixture.company(
      #"""
      {
        "name": "Acme AB", "kind": "household", "timezone": "Europe/Stockholm", "status": "suspended",
        "roles": { "foreman": { "permissions": ["a.b.read.own", "a.b.read", "a.b.create"] } },
        "members": { "Eva@Acme.example": { "name": "Eva", "role": "owner" } },
        "invites": [{ "role": "user", "uses": 3, "email": "New@acme.example" }],
        "webhooks": [{ "url": "https://a.example", "events": ["y", "x"], "secret": "env:KEY" }],
        "machines": { "RM-001": { "name": "Roller" }, "RM-002": null },
        "categories": ["Hydraulics", { "name": "Boom", "machine": "RM-001" }, 7],
        "records": { "maintenance.meter": [{ "name": "Oil" }] }
      }
      """#
    )
    #expect(company.kind == .household && company.status == .suspended && company.name == "Acme AB")
    // The wider permission includes the other, and the order does not depend on the file.
    #expect(
      company.roles == [RoleState(name: "foreman", label: nil, permissions: ["a.b.create", "a.b.read"])]
    )
    #expect(company.members?.map(\.key) == ["eva@acme.example"])
    #expect(company.invites == [InviteState(role: "user", uses: 3, days: 14, email: "new@acme.example")])
    #expect(company.webhooks?.first?.secret == .environment("KEY"))
    #expect(company.webhooks?.first?.events == ["x", "y"])
    let types = ["maintenance.machine", "maintenance.category", "maintenance.meter"]
    #expect(company.records.map(\.type) == types)
    #expect(company.records[0].records.map(\.name) == ["RM-001", "RM-002"])
    #expect(company.records[1].records.map(\.name) == ["Hydraulics", nil, "7"])
    #expect(company.records[1].records[1].path == "companies.acme.categories[1]")
  }

  @Test(arguments: [
    (#"{ "machnes": {} }"#, "companies.acme.machnes", "did you mean machines?"),
    (#"{ "kind": "busines" }"#, "companies.acme.kind", "did you mean business?"),
    (#"{ "kind": "system" }"#, "companies.acme.kind", nil),
    (#"{ "status": "erased" }"#, "companies.acme.status", nil),
    (#"{ "roles": { "owner": { "permissions": [] } } }"#, "companies.acme.roles.owner", nil),
    (#"{ "roles": { "a": {} } }"#, "companies.acme.roles.a.permissions", nil),
    (#"{ "members": { "eva": { "role": "owner" } } }"#, "companies.acme.members.eva", nil),
    (
      #"{ "members": { "e@a.se": { "role": "owner", "status": "removed" } } }"#,
      "companies.acme.members.e@a.se.status", nil
    ),
    (#"{ "members": { "e@a.se": {}, "E@a.se": {} } }"#, "companies.acme.members", nil),
    (#"{ "invites": [{ "role": "user", "uses": 0 }] }"#, "companies.acme.invites[0].uses", nil),
    (#"{ "invites": [{ "role": "user", "days": 400 }] }"#, "companies.acme.invites[0].days", nil),
    (
      #"{ "webhooks": [{ "url": "https://a.example", "events": [] }] }"#, "companies.acme.webhooks[0].events",
      nil
    ),
    (
      #"{ "webhooks": [{ "url": "https://a.example", "events": ["x"], "secret": "hunter2" }] }"#,
      "companies.acme.webhooks[0].secret", "write its source: file:PATH, env:NAME or stdin"
    ),
    (#"{ "machines": [[1]] }"#, "companies.acme.machines[0]", nil),
    (#"{ "machines": {}, "records": { "maintenance.machine": {} } }"#, "companies.acme.records", nil),
  ])
  func `a fault names its place`(json: String, path: String, hint: String?) throws {
    let refused = try #require(refusal { _ = try ProvisioningFixture.company(json) })
    #expect(refused.details["path"]?.string == path)
    #expect(refused.message.contains("companies.acme"))
    if let hint { #expect(refused.hint == hint) }
    #expect(!refused.message.contains("hunter2"))
  }

  @Test func `a file without a company is refused`() throws {
    #expect(
      refusal { _ = try ProvisioningFixture.document(#"{ "companies": {} }"#) }?.code == .invalidDocument
    )
    #expect(refusal { _ = try ProvisioningFixture.document("{}") }?.code == .invalidDocument)
    let slug = refusal { _ = try ProvisioningFixture.document(#"{ "companies": { "A c": {} } }"#) }
    #expect(slug?.code == .invalidSlug)
  }
}
