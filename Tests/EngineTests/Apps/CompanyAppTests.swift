import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct CompanyAppTests {
  private func permissions(_ role: String, _ fixture: PeopleFixture) async throws -> Set<String> {
    let roles = try await fixture.roles.list(fixture.acting)
    return Set(try #require(roles.first { $0.name == role }).permissions)
  }

  private func apps(_ names: Set<String>) -> Set<String> {
    let engine = Set(PermissionCatalogue.engine.map(\.permission.name))
    return Set(names.subtracting(engine).map { String($0.prefix { $0 != "." }) })
  }

  /// An app beside the one that the tests of the engine use.
  private static let other = Installation.embeddedApps.first { $0 != "maintenance" }

  @Test func `roles hold no permission of an app that the company does not use`() async throws {
    let fixture = try await PeopleFixture.open(apps: ["maintenance"], ["ana": "user", "olle": "admin"])
    for role in ["owner", "admin", "user", "viewer"] {
      #expect(apps(try await permissions(role, fixture)) == ["maintenance"])
    }
    let records = try await Records.open(fixture.services)
    let other = try #require(Self.other)
    let type = try #require(
      records.catalogue.types.first { $0.app == other && $0.definition.scope == .company }
    )
    .name
    for handle in ["ana", "olle", "eva"] {
      let acting = try await fixture.context(of: handle)
      let error = try await refused {
        _ = try await records.create(acting, type: type, fields: [:])
      }
      #expect(error.code == .forbidden)
      #expect(error.hint == "enable it with `fettle app enable \(other) --company \(fixture.slug)`")
      #expect(
        try await refusal { try await records.list(acting, type: type, RecordQuery()) }
          == .forbidden
      )
    }
    let operators = try await refused {
      _ = try await records.create(fixture.acting, type: type, fields: [:])
    }
    #expect(operators.code == .forbidden)
  }

  @Test func `a company that has not chosen uses every app, and chooses with the first change`() async throws
  {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let companyApps = CompanyApps(fixture.services)
    let other = try #require(Self.other)
    #expect(try await companyApps.list(fixture.acting).allSatisfy(\.isEnabled))
    try await companyApps.setEnabled(false, app: other, fixture.acting)
    #expect(try await companyApps.list(fixture.acting).filter { !$0.isEnabled }.map(\.app) == [other])
    #expect(!apps(try await permissions("owner", fixture)).contains(other))
    #expect(apps(try await permissions("owner", fixture)).contains("maintenance"))
    try await companyApps.setEnabled(true, app: other, fixture.acting)
    #expect(apps(try await permissions("owner", fixture)).contains(other))
    #expect(try await fixture.audited().suffix(2) == ["company.app_disabled", "company.app_enabled"])
  }

  @Test func `apps are enabled by those who may change the company, and only installed ones`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user", "olle": "admin"])
    let companyApps = CompanyApps(fixture.services)
    let other = try #require(Self.other)
    let (ana, olle) = (try await fixture.context(of: "ana"), try await fixture.context(of: "olle"))
    #expect(try await refusal { try await companyApps.setEnabled(false, app: other, ana) } == .forbidden)
    #expect(try await refusal { try await companyApps.setEnabled(false, app: other, olle) } == nil)
    #expect(try await refusal { try await companyApps.setEnabled(false, app: other, olle) } == .wrongState)
    let error = try await refused { try await companyApps.setEnabled(true, app: "\(other)x", olle) }
    #expect(error.code == .notFound)
    #expect(error.hint == "did you mean \(other)?")
  }

  @Test func `timers and schedules of a disabled app are held until it is enabled`() async throws {
    let fixture = try await PeopleFixture.open()
    let company = fixture.acting.company.id
    try await fixture.superuser.transaction { tx in try ScheduleStore.reconcile(company: company, tx) }
    func held() async throws -> Set<String> {
      let rows = try await fixture.superuser.rows(
        "select distinct s.app from core.schedule s where s.company_id = \(fixture.acting.company.id) and s.held",
        String.self
      )
      return Set(rows)
    }
    #expect(try await held() == [])
    let companyApps = CompanyApps(fixture.services)
    try await companyApps.setEnabled(false, app: "maintenance", fixture.acting)
    #expect(try await held() == ["maintenance"])
    try await fixture.companies.setStatus(fixture.acting, to: .suspended)
    #expect(try await held().contains("core"))
    try await fixture.companies.setStatus(fixture.acting, to: .active)
    #expect(try await held() == ["maintenance"])
    try await companyApps.setEnabled(true, app: "maintenance", fixture.acting)
    #expect(try await held() == [])
  }

  @Test func `a report shows nothing that the role may not read`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    try await fixture.roles.define(
      fixture.acting,
      name: "clerk",
      permissions: ["company.read", "report.read", "maintenance.entry.read", "maintenance.machine.read"]
    )
    _ = try await fixture.members.add(
      fixture.acting,
      email: fixture.email("kim"),
      name: "Kim",
      role: "clerk"
    )
    let kim = try await fixture.context(of: "kim")
    let access = ReportAccess(fixture.services)
    #expect(try await refusal { try await access.require(kim, view: "v1_backlog") } == nil)
    let error = try await refused { try await access.require(kim, view: "v1_hours") }
    #expect(error.code == .forbidden)
    #expect(error.message.contains("maintenance.time_entry.read"))
    #expect(try await refusal { try await access.require(fixture.acting, view: "v1_hours") } == nil)
    try await CompanyApps(fixture.services).setEnabled(false, app: "maintenance", fixture.acting)
    #expect(try await refusal { try await access.require(kim, view: "v1_backlog") } == .forbidden)
  }

  @Test func `every permission of the engine gates something`() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var text = ""
    for case let file as URL in files where file.pathExtension == "swift" {
      guard !file.path().contains("/Domain/Access/") else { continue }
      text += try String(contentsOf: file, encoding: .utf8)
    }
    for entry in PermissionCatalogue.engine {
      let name = entry.permission.name
      #expect(text.contains("\"\(name)\"") || text.contains("\"\(entry.permission.own.name)\""), "\(name)")
    }
  }
}
