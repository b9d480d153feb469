import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Synchronization
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct ProvisioningTests {
  @Test func `a company comes from a file, and applying it again changes nothing`() async throws {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    let done = try await fixture.apply(Self.full(slug))
    #expect(
      done.map { "\($0.step.change.rawValue) \($0.step.subject) \($0.step.name)" } == [
        "created company \(slug)", "created role foreman", "created member bob@\(slug).example",
        "created member ann@\(slug).example", "changed member ann@\(slug).example",
        "created invite user, 5 uses, 30 days", "created webhook https://hooks.example/fettle",
        "created maintenance.machine RM-001", "created maintenance.machine RM-002",
        "changed maintenance.machine RM-002", "created maintenance.category Hydraulics",
        "created maintenance.category RM-001/Boom", "created maintenance.meter RM-001/Oil",
      ]
    )
    // An invite's code is shown once. The webhook's secret comes from the file and is not shown.
    #expect(done.filter { $0.secret != nil }.map(\.step.subject) == ["invite"])
    let again = try await fixture.provisioning.plan(fixture.document(Self.full(slug)), prunes: true)
    #expect(again.flatMap(\.steps).map(\.name) == [])
    #expect(again.first?.unchanged.count == 12)
    let acting = try await fixture.acting(slug)
    #expect(
      try await Members(fixture.services).list(acting).first { $0.email == "ann@\(slug).example" }?.status
        == .suspended
    )
    let machines = try await fixture.provisioning.records.list(
      acting,
      type: "maintenance.machine",
      RecordQuery()
    )
    #expect(Set(machines.compactMap { $0["status"]?.string }) == ["active", "retired"])
    #expect(
      try await Verification(fixture.services, catalogue: fixture.records.catalogue).run([acting.company])
        .findings
        == []
    )
  }

  @Test func `an export applied to an empty database is exported alike, byte for byte`() async throws {
    let first = try await ProvisioningFixture.open()
    let slug = first.slug()
    _ = try await first.apply(Self.full(slug))
    let text = JSONValue.object(try await first.provisioning.export([slug])).text
    #expect(text.contains("Oil") && !text.contains("hunter"))
    let second = try await ProvisioningFixture.open(try await TestDatabase.make())
    _ = try await second.apply(text)
    #expect(JSONValue.object(try await second.provisioning.export([])).text == text)
    await second.close()
  }

  @Test func `a change by hand is a difference, and applying the file takes it back`() async throws {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    _ = try await fixture.apply(Self.full(slug))
    let acting = try await fixture.acting(slug)
    let records = fixture.provisioning.records
    let id = try await records.resolve(acting, type: "maintenance.machine", "RM-001")
    _ = try await records.update(
      acting,
      type: "maintenance.machine",
      id: id,
      fields: ["name": "Something else"]
    )
    try await Members(fixture.services).setRole(acting, member: "bob@\(slug).example", role: "viewer")
    try await Roles(fixture.services).define(acting, name: "foreman", permissions: ["maintenance.entry.read"])
    let changed = [
      "role foreman: permissions", "member bob@\(slug).example: role", "maintenance.machine RM-001: name",
    ]
    let plan = try await fixture.provisioning.plan(fixture.document(Self.full(slug)), prunes: false)
    #expect(
      plan.flatMap(\.steps).map { "\($0.subject) \($0.name): \($0.differences.map(\.field).joined())" }
        == changed
    )
    let name = plan.flatMap(\.steps).last?.differences.first
    #expect(name == .init("name", "Something else", "Line marker"))
    #expect(try await fixture.apply(Self.full(slug)).count == 3)
    #expect(try await fixture.apply(Self.full(slug)).isEmpty)
  }

  @Test func `pruning removes what a section of the file does not have, and keeps its history`() async throws
  {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    _ = try await fixture.apply(Self.full(slug))
    let file = #"""
      { "companies": { "\#(slug)": {
        "roles": {}, "invites": [], "webhooks": [], "machines": { "RM-002": { "name": "Old one" } },
        "members": { "eva@\#(slug).example": { "role": "owner" } } } } }
      """#
    // Without pruning, everything may stay.
    #expect(try await fixture.apply(file).isEmpty)
    let done = try await fixture.apply(file, prunes: true)
    #expect(
      done.map { "\($0.step.change.rawValue) \($0.step.subject)" } == [
        "removed maintenance.machine", "removed webhook", "removed invite", "removed member",
        "removed member",
        "removed role",
      ]
    )
    #expect(try await fixture.apply(file, prunes: true).isEmpty)
    let acting = try await fixture.acting(slug)
    let all = try await Members(fixture.services).list(acting, includingRemoved: true)
    #expect(all.filter { $0.status == .removed }.count == 2)
    #expect(try await Invites(fixture.services).list(acting).map(\.state) == ["revoked"])
    // Bob was a foreman, so the role keeps its name and loses its permissions.
    let foreman = try await Roles(fixture.services).list(acting).first { $0.name == "foreman" }
    #expect(foreman?.permissions == [])
    // Meters are not a section of this file.
    let meters = try await fixture.provisioning.records.list(acting, type: "maintenance.meter", RecordQuery())
    #expect(meters.count == 1)
  }

  @Test func `after an error half way what was done stays, and the next run goes on`() async throws {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    let file = Self.full(slug)
    let told = Mutex<[String]>([])
    let plans = try await fixture.provisioning.plan(fixture.document(file), prunes: false)
    let refusal = try await refused {
      for plan in plans {
        try await fixture.provisioning.apply(
          plan,
          secrets: { _ in throw DomainError(.invalidInput, "the secret is not there") },
          tell: { done in told.withLock { $0.append(done.step.subject) } }
        )
      }
    }
    #expect(refusal.details["path"]?.string == "companies.\(slug).webhooks[0]")
    #expect(told.withLock { $0 }.last == "invite")
    let rest = try await fixture.apply(file)
    #expect(rest.first?.step.subject == "webhook")
    #expect(rest.count == 13 - told.withLock { $0 }.count)
  }

  @Test func `the last owner stays, whatever a file says`() async throws {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    _ = try await fixture.apply(Self.full(slug))
    let refusal = try await refused {
      _ = try await fixture.apply(
        #"{ "companies": { "\#(slug)": { "members": { "bob@\#(slug).example": {} } } } }"#,
        prunes: true
      )
    }
    #expect(refusal.code == .lastOwner)
  }

  @Test func `a member without a name is named after the address`() async throws {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    _ = try await fixture.apply(
      #"""
      { "companies": { "\#(slug)": { "members": {
        "eva@\#(slug).example": { "role": "owner" }, "bob.b@\#(slug).example": { "role": "user" } } } } }
      """#
    )
    let members = try await Members(fixture.services).list(fixture.acting(slug))
    #expect(Set(members.map(\.name)) == ["eva", "bob.b"])
  }

  @Test func `checks that need the database run before anything is done`() async throws {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    let zone = try await refused {
      _ = try await fixture.apply(#"{ "companies": { "\#(slug)": { "timezone": "Europe/Stokholm" } } }"#)
    }
    #expect(zone.hint == "did you mean Europe/Stockholm?")
    #expect(zone.details["path"]?.string == "companies.\(slug).timezone")
    let hook = try await refused {
      _ = try await fixture.apply(
        #"{ "companies": { "\#(slug)": { "webhooks": [{ "url": "gopher://x", "events": ["a"] }] } } }"#
      )
    }
    #expect(hook.details["path"]?.string == "companies.\(slug).webhooks[0].url")
    #expect(try await Companies(fixture.services).list().allSatisfy { $0.slug != slug })
  }

  @Test func `a company without categories in its file starts with the usual ones, as one made by hand`()
    async throws
  {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    _ = try await fixture.apply(
      #"{ "companies": { "\#(slug)": { "members": { "eva@\#(slug).example": { "role": "owner" } } } } }"#
    )
    let acting = try await fixture.acting(slug)
    let categories = try await fixture.provisioning.records.list(
      acting,
      type: "maintenance.category",
      RecordQuery()
    )
    #expect(categories.count == 8)
  }

  @Test func `every change of a company by file is audited like one by hand`() async throws {
    let fixture = try await ProvisioningFixture.open()
    let slug = fixture.slug()
    _ = try await fixture.apply(Self.full(slug))
    let acting = try await fixture.acting(slug)
    let actions = Set(try await AuditTrail(fixture.services).newest(acting, limit: 100).map(\.action))
    #expect(
      actions.isSuperset(of: [
        "company.created", "role.created", "member.added", "member.suspended", "invite.created",
        "webhook.created", "record.create", "record.retire",
      ])
    )
  }

  private static func full(_ slug: String) -> String {
    #"""
    { "companies": { "\#(slug)": {
      "name": "Acme AB", "kind": "business", "timezone": "Europe/Stockholm",
      "roles": { "foreman": { "label": "Foreman", "permissions": ["maintenance.entry.read", "maintenance.entry.reopen"] } },
      "members": {
        "eva@\#(slug).example": { "name": "Eva", "role": "owner" },
        "bob@\#(slug).example": { "name": "Bob", "role": "foreman" },
        "ann@\#(slug).example": { "name": "Ann", "role": "user", "status": "suspended" }
      },
      "invites": [{ "role": "user", "uses": 5, "days": 30 }],
      "webhooks": [{ "url": "https://hooks.example/fettle", "events": ["maintenance.entry.completed"], "secret": "env:X" }],
      "machines": { "RM-001": { "name": "Line marker" }, "RM-002": { "name": "Old one", "status": "retired" } },
      "categories": ["Hydraulics", { "name": "Boom", "machine": "RM-001" }],
      "records": { "maintenance.meter": [{ "name": "Oil", "machine": "RM-001", "unit": "h" }] }
    } } }
    """#
  }
}

/// An operator with a provisioning file.
struct ProvisioningFixture: Sendable {
  let services: Services
  let provisioning: Provisioning

  var records: Records { provisioning.records }

  /// Opens the shared database, or the given one.
  static func open(_ database: TestDatabase? = nil) async throws -> ProvisioningFixture {
    let engine = try await EngineFixture.shared()
    let keys = Keys.random()
    let services = Services(
      database: database?.connect(as: "fettle_admin", poolSize: 2) ?? engine.operators.database,
      rules: CompiledApps.rules,
      keys: { keys }
    )
    let provisioning = try await Provisioning.open(services, operatorName: "tests") { url in
      url.hasPrefix("https://") ? nil : "it is no https address"
    }
    return ProvisioningFixture(services: services, provisioning: provisioning)
  }

  func close() async { await services.database.close() }

  func slug() -> String { "made-\(Self.number.add(1, ordering: .relaxed).newValue)" }

  func acting(_ slug: String) async throws -> ActingContext {
    ActingContext(
      company: try await ActingContexts(services).company(slug),
      actor: .operator("tests"),
      user: nil
    )
  }

  func document(_ json: String) throws -> ProvisioningDocument {
    try YAMLDocument.decode(
      ProvisioningDocument.self,
      json,
      document: "file",
      userInfo: provisioning.userInfo
    )
  }

  @discardableResult
  func apply(_ json: String, prunes: Bool = false) async throws -> [Provisioning.Done] {
    var done: [Provisioning.Done] = []
    for plan in try await provisioning.plan(document(json), prunes: prunes) {
      try await provisioning.apply(plan, secrets: { _ in "hunter2 hunter2 hunter2" }) { done.append($0) }
    }
    return done
  }

  private static let number = Atomic(0)
}
