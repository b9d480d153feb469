import Domain
import Engine
import EngineFixtures
import Files
import Foundation
import Postgres
import Secrets
import Store
import TestDatabase
import Testing

/// The erasure of a company: everything of it, nothing of others, and only what an operator has asked for.
@Suite(.timeLimit(.minutes(60))) struct CompanyErasureTests {
  /// A company in a database with another one, and a store of files.
  private struct Trial: Sendable {
    let companies: TwoCompanies
    let services: Services
    let acting: ActingContext
    let store: DiskStore
    let ledger: ErasureLedger
    let folder: String

    var superuser: Database { companies.superuser }

    static func open(_ body: (Trial) async throws -> Void) async throws {
      let companies = try await TwoCompanies.make()
      let folder = "\(NSTemporaryDirectory())/fettle-erasure-\(UUID().uuidString)"
      // A folder that is left over does no harm.
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let keys = Keys.random()
      let services = Services(database: companies.database.connect(as: "fettle_admin", poolSize: 2)) { keys }
      let company = try await ActingContexts(services).company("company-a")
      try await body(
        Trial(
          companies: companies,
          services: services,
          acting: ActingContext(company: company, actor: .operator("tests"), user: nil),
          store: DiskStore(path: "\(folder)/blobs"),
          ledger: ErasureLedger(path: "\(folder)/fettle.erasures"),
          folder: folder
        )
      )
      await services.database.close()
    }

    func run(_ erasure: UUID, batch: Int64 = 10_000, _ progress: (Int64) async throws -> Void = { _ in })
      async throws -> CompanyErasureRun.Outcome?
    {
      try await CompanyErasureRun(
        services.database,
        store,
        ledger,
        erasure: erasure,
        actor: .operator("tests"),
        batch: batch
      ).run(progress: progress)
    }

    func proof() async throws -> ErasureProof {
      let reader = companies.database.connect(as: "fettle_backup", poolSize: 1)
      let proof = try await ErasureProof.take(
        of: TwoCompanies.a,
        names: ["company-a"],
        reader,
        store
      )
      await reader.close()
      return proof
    }

    /// Stores bytes of a company and names them.
    func addFile(of company: UUID, _ text: String) async throws {
      let upload = UploadKey(company: company, id: UUID())
      let measured = try await store.put(Array(text.utf8), as: upload)
      try await store.seal(upload, size: measured.size, as: measured.digest)
      try await superuser.execute(
        "insert into core.blob (company_id, sha256, size_bytes) values (\(company), \(measured.digest), 1)"
      )
    }
  }

  @Test func `no row, no text and no file is left, and other companies keep theirs`() async throws {
    try await Trial.open { trial in
      // A table that an app adds later, which nobody mentions in the engine, and a circle of foreign keys.
      let migrator = trial.companies.database.connect(poolSize: 1)
      _ = try await AppInstaller(migrator).install(ExampleApp.read().package())
      await migrator.close()
      try await trial.superuser.transaction(.inside(TwoCompanies.a, mode: .import)) { tx in
        try tx.execute(
          """
          insert into orchard.tree (company_id, id, code, variety, created_by, status, status_category)
          select \(TwoCompanies.a), gen_random_uuid(), 'T-1', 'apple', \(TwoCompanies.ownerOfA), s.status, s.category
          from core.workflow_state s where s.record_type = 'orchard.tree' and s.is_initial limit 1
          """
        )
      }
      for statement in [
        "create table inventory.a (company_id uuid not null, id uuid, b uuid, primary key (company_id, id))",
        "create table inventory.b (company_id uuid not null, id uuid, a uuid, primary key (company_id, id))",
        "alter table inventory.a add foreign key (company_id, b) references inventory.b",
        "alter table inventory.b add foreign key (company_id, a) references inventory.a",
        "alter table inventory.a owner to fettle_owner", "alter table inventory.b owner to fettle_owner",
        "insert into inventory.a select '\(TwoCompanies.a)', '\(TwoCompanies.a)'",
        "insert into inventory.b select '\(TwoCompanies.a)', '\(TwoCompanies.a)', '\(TwoCompanies.a)'",
        "update inventory.a set b = id", "select core.attach_eraser()",
      ] { try await trial.superuser.execute(SQL(trusted: statement)) }
      try await trial.addFile(of: TwoCompanies.a, "photo of a")
      try await trial.addFile(of: TwoCompanies.b, "photo of b")
      _ = try await trial.store.append([1, 2], to: UploadKey(company: TwoCompanies.a, id: UUID()), at: 0)
      let before = try await Checksums.take(without: [TwoCompanies.a], trial.superuser)
      let empty = try await trial.proof().rows.filter { $0.count == 0 }.map(\.table)
      #expect(empty == ["core.job_begin", "core.job_home", "core.record_base", "orchard.harvest"])
      let named = try await trial.proof().ids.filter { $0.count > 0 }.map(\.table)
      #expect(named.count > 60 && named.contains("orchard.tree"))

      let request = try await CompanyErasures(trial.services).request(trial.acting, after: .zero)
      let outcome = try #require(try await trial.run(request.id))
      #expect(outcome.files >= 2)
      let proof = try await trial.proof()
      #expect(proof.isEmpty)
      #expect(proof.rows.count > 85 && proof.rows.contains { $0.table == "orchard.tree" })
      #expect(proof.names.filter { $0.count > 0 }.map(\.table) == [])
      #expect(proof.files == 0)
      #expect(try await trial.store.count(company: TwoCompanies.b) == 1)
      #expect(try await Checksums.take(without: [TwoCompanies.a], trial.superuser) == before)

      let left = try await trial.superuser.rows(
        "select c.name, c.status, c.slug ~ '^erased-' from core.company c where c.id = \(TwoCompanies.a)",
        String.self,
        String.self,
        Bool.self
      )
      #expect(left.map { "\($0)" } == ["(\"erased\", \"erased\", true)"])
      let found = try await ErasureProof.find("company-a", trial.services.database)
      #expect(found?.company == TwoCompanies.a && found?.erasure == request.id)
      #expect(try trial.ledger.read() == [.init(kind: "company", digest: Self.digest(TwoCompanies.a))])
      // Again: nothing to do, and nothing happens.
      #expect(try await trial.run(request.id) == nil)
      let audit = try await trial.superuser.rows(
        "select a.action from core.audit a where a.subject_type = 'erasure' and a.subject_id = \(request.id.text) order by 1",
        String.self
      )
      #expect(audit == ["company.erased", "company.erasure_requested"])
    }
  }

  @Test func `an erasure that is killed at ten random points is continued, and ends`() async throws {
    struct Killed: Error {}
    var random = SystemRandomNumberGenerator()
    try await Trial.open { trial in
      try await trial.addFile(of: TwoCompanies.a, "photo of a")
      let before = try await Checksums.take(without: [TwoCompanies.a], trial.superuser)
      let request = try await CompanyErasures(trial.services).request(trial.acting, after: .zero)
      var kills = 0
      while kills < 10 {
        let point = Int.random(in: 1...6, using: &random)
        var batches = 0
        do {
          let outcome = try await trial.run(request.id, batch: 1) { _ in
            batches += 1
            guard batches == point else { return }
            // The next batch meets a connection that is gone; then the run ends, as if its process had been killed.
            try await trial.superuser.execute(
              """
              select pg_terminate_backend(a.pid) from pg_stat_activity a
              where a.datname = current_database() and a.usename = 'fettle_admin'
              """
            )
            throw Killed()
          }
          #expect(outcome == nil, "the erasure ended before it was killed ten times")
          return
        } catch is Killed {
          kills += 1
          // Nobody can enter the company in between, and nobody can restore it.
          let refusal = try await refused {
            try await Companies(trial.services).setStatus(trial.acting, to: .active)
          }
          #expect([.notFound, .wrongState].contains(refusal.code))
        }
      }
      _ = try #require(try await trial.run(request.id, batch: 3))
      #expect(try await trial.proof().isEmpty)
      #expect(try await Checksums.take(without: [TwoCompanies.a], trial.superuser) == before)
    }
  }

  @Test func `a company is erased after its grace period, unless it is activated before`() async throws {
    try await Trial.open { trial in
      let erasures = CompanyErasures(trial.services)
      let request = try await erasures.request(trial.acting, after: .seconds(30 * 86_400))
      #expect(try await trial.run(request.id) == nil)
      #expect(try await Companies(trial.services).show(trial.acting).company.status == .archived)
      let jobs = try await trial.superuser.rows(
        "select j.payload ->> 'erasure' from core.job_deferred j where j.kind = 'company.erase' and j.run_at > now() + interval '29 days'",
        String.self
      )
      #expect(jobs == [request.id.uuidString])
      try await Companies(trial.services).setStatus(trial.acting, to: .active)
      try await trial.superuser.execute("update core.erasure set due_at = now()")
      #expect(try await trial.run(request.id) == nil)

      let second = try await erasures.request(trial.acting, after: .seconds(86_400))
      try await erasures.cancel(trial.acting)
      #expect(try await refused { try await erasures.cancel(trial.acting) }.code == .wrongState)
      #expect(try await trial.run(second.id) == nil)
      #expect(try trial.ledger.read() == [])
    }
  }

  @Test func `nobody but an operator can erase, and the functions erase only what was asked for`()
    async throws
  {
    try await Trial.open { trial in
      let member = ActingContext(
        company: trial.acting.company,
        actor: .member(TwoCompanies.ownerOfA),
        user: TwoCompanies.ownerOfA
      )
      let refusal = try await refused {
        _ = try await CompanyErasures(trial.services).request(member, after: .zero)
      }
      #expect(refusal.code == .forbidden)

      let other = try await CompanyErasures(trial.services).request(trial.acting, after: .seconds(86_400))
      for login in ["fettle_admin", "fettle_worker", "fettle_app", "fettle_migrator"] {
        let database = trial.companies.database.connect(as: login, poolSize: 1)
        for (statement, mode) in [
          ("select core.erase_batch('\(other.id.text)', 10)", nil),
          ("select core.erase_batch(gen_random_uuid(), 10)", nil),
          ("select core.finish_erasure('\(other.id.text)')", nil),
          ("delete from maintenance.entry", WriteMode.engine), ("delete from core.history", .import),
          ("update core.erasure set started_at = now()", nil), ("set role fettle_eraser", nil),
        ] as [(String, WriteMode?)] {
          // The migrator may become the owner, and so everybody.
          if login == "fettle_migrator" && statement.hasPrefix("set role") { continue }
          let error = await #expect(throws: PostgresError.self, "\(login): \(statement)") {
            try await database.transaction(.inside(TwoCompanies.a, mode: mode)) { tx in
              try tx.execute(SQL(trusted: statement))
            }
          }
          #expect(error?.sqlState == .insufficientPrivilege, "\(login): \(statement)")
        }
        await database.close()
      }
      // The guard is open to the role alone, not to a superuser either.
      let error = await #expect(throws: PostgresError.self) {
        try await trial.superuser.execute("delete from maintenance.time_entry")
      }
      #expect(error?.sqlState?.rawValue == "FT004")
    }
  }

  private static func digest(_ id: UUID) -> [UInt8] {
    SHA256.hash(withUnsafeBytes(of: id.uuid) { Array($0) })
  }
}
