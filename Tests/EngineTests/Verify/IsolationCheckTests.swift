import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import TestDatabase
import Testing

/// Protections that a database administrator may have switched off, each in a database of its own.
@Suite(.serialized, .timeLimit(.minutes(60))) struct IsolationCheckTests {
  @Test(arguments: [
    ("alter table core.audit disable row level security", VerifyFinding.Code.notIsolated, "core.audit"),
    ("alter table maintenance.entry no force row level security", .notIsolated, "maintenance.entry"),
    ("drop policy tenant on core.role", .notIsolated, "core.role"),
    ("alter table maintenance.entry disable trigger guard", .notGuarded, "maintenance.entry"),
    ("drop trigger guard on maintenance.machine", .notGuarded, "maintenance.machine"),
    ("grant update on core.history to fettle_app", .notAppendOnly, "core.history"),
    ("alter table maintenance.entry disable trigger all", .keyOff, "maintenance.entry"),
  ])
  func `a missing protection of companies or records is found`(
    change: String,
    code: VerifyFinding.Code,
    table: String
  ) async throws {
    let database = try await TestDatabase.make()
    let engine = try await EngineFixture.open(database, poolSize: 2)
    let verification = Verification(engine.operators, catalogue: engine.catalogue)
    #expect(try await verification.run([]).findings == [])
    try await engine.superuser.execute(SQL(trusted: change))
    let findings = try await verification.run([]).findings.filter { $0.code == code }
    #expect(findings.map(\.type).contains(table))
    await engine.close()
  }
}
