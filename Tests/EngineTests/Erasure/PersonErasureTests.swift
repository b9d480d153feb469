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

/// The erasure of a person in all companies: her name, her address and her ids are nowhere, what others rely on stays.
@Suite(.timeLimit(.minutes(60))) struct PersonErasureTests {
  private static let address = "ana.akerlund@people.example"
  private static let name = "Ana Åkerlund"

  /// Three companies of one database, of which Ana is a member.
  private struct Trial: Sendable {
    let engine: EngineFixture
    let shops: [Workshop]
    let ana: MemberRow
    let folder: String
    let store: DiskStore

    static func open(_ body: (Trial) async throws -> Void) async throws {
      let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 6)
      var shops: [Workshop] = []
      var ana: MemberRow?
      for _ in 1...3 {
        let shop = try await Workshop.open(in: engine)
        ana = try await Members(engine.operators).add(
          shop.operatorContext,
          email: PersonErasureTests.address,
          name: PersonErasureTests.name,
          role: "user"
        )
        shops.append(shop)
      }
      let folder = "\(NSTemporaryDirectory())/fettle-person-\(UUID().uuidString)"
      // A folder that is left over does no harm.
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try await body(
        Trial(
          engine: engine,
          shops: shops,
          ana: try #require(ana),
          folder: folder,
          store: DiskStore(path: "\(folder)/blobs")
        )
      )
      await engine.close()
    }

    func acting(in shop: Workshop) -> ActingContext {
      ActingContext(company: shop.company, actor: .member(ana.userID), user: ana.userID)
    }

    /// Ana works in all companies: an entry that she starts and completes, with hours; one that others write about her;
    /// and private records.
    func work() async throws {
      for shop in shops {
        let acting = acting(in: shop)
        let entry = try await shop.entry(
          "admin",
          ["description": .string("Ask \(PersonErasureTests.name) for the hose")]
        )
        for transition in ["start", "complete"] {
          _ = try await shop.records.transition(
            acting,
            type: "maintenance.entry",
            id: entry,
            request: TransitionRequest(transition, comment: "done by ana.akerlund@people.example")
          )
        }
        _ = try await shop.records.create(
          acting,
          type: "maintenance.time_entry",
          fields: [
            "entry_id": .id(entry), "user_id": .id(ana.userID), "user_name": .string(PersonErasureTests.name),
            "work_date": "2026-01-01", "start_time": "08:00", "end_time": "12:30",
          ]
        )
        _ = try await shop.records.create(
          acting,
          type: "trips.conversation",
          fields: ["title": "My holidays"]
        )
        let talk = Conversation(engine.services, shop.records)
        _ = try await talk.say(
          shop.acting("admin"),
          type: "maintenance.entry",
          id: entry,
          "Thanks, @ana.akerlund, alias \(PersonErasureTests.name)"
        )
        // A note that does not name her, and is about her.
        try await engine.superuser.transaction(.inside(shop.company.id, mode: .engine)) { tx in
          try tx.execute(
            "update maintenance.entry set completion_note = 'has a bad back' where id = \(entry)"
          )
        }
        try await seal(shop)
      }
    }

    private func seal(_ shop: Workshop) async throws {
      let worker = engine.database.connect(as: "fettle_worker", poolSize: 1)
      _ = try await worker.transaction(.inside(shop.company.id)) { tx in
        try KeptSeal.add(company: shop.company.id, tx)
      }
      await worker.close()
    }

    func erase() async throws -> PersonErasure.Outcome {
      try await PersonErasure(
        engine.operators.database,
        store,
        ErasureLedger(path: "\(folder)/fettle.erasures"),
        actor: .operator("tests")
      ).run(user: ana.userID)
    }

    /// Returns the tables in which a text about Ana, or about another person, is left.
    func found(_ texts: [String], of user: UUID? = nil) async throws -> [String] {
      let reader = engine.database.connect(as: "fettle_backup", poolSize: 1)
      let known = PersonTexts(user: user ?? ana.userID, texts: texts, companies: shops.map(\.company.id))
      let found = try await known.remainders(reader)
      await reader.close()
      return found.map(\.table)
    }

    func hours() async throws -> [String] {
      try await engine.superuser.rows(
        "select t.company_id || ' ' || sum(t.actual_hours) || ' ' || count(*) from maintenance.time_entry t group by t.company_id order by 1",
        String.self
      )
    }

    func findings() async throws -> [String] {
      let report = try await Verification(engine.operators, catalogue: engine.catalogue).run(
        shops.map(\.company)
      )
      return report.findings.filter { $0.company != nil }
        .map { "\($0.code.rawValue) \($0.type ?? "") \($0.what)" }
    }
  }

  @Test func `name, address and ids are nowhere, sums are the same, and verify finds nothing`() async throws {
    try await Trial.open { trial in
      try await trial.work()
      let texts = [Self.name, Self.address, "@ana.akerlund", trial.ana.userID.text, "bad back"]
      for text in texts { #expect(try await !trial.found([text]).isEmpty, "\(text)") }
      let hours = try await trial.hours()
      #expect(try await trial.findings() == [])
      let positions = try await trial.engine.superuser.rows(
        "select max(f.seq) from core.feed f group by f.company_id order by f.company_id",
        Int64.self
      )

      let outcome = try await trial.erase()
      #expect(outcome.companies == 3 && outcome.rows > 30)
      #expect(try await trial.found(texts) == [])
      #expect(try await trial.hours() == hours && hours.count == 3)
      #expect(try await trial.findings() == [])
      #expect(
        try await trial.engine.superuser.value("select count(*) from trips.conversation", as: Int64.self) == 0
      )
      // Her hours are those of a former member, and what she wrote about the work is gone with her.
      let former = try await trial.engine.superuser.rows(
        """
        select distinct t.user_name = u.name and u.name ~ '^Former member [0-9a-f]{4}$' and u.status = 'disabled'
          and m.status = 'removed' and u.password_hash is null
        from maintenance.time_entry t
        join core.app_user u on u.id = t.user_id
        join core.membership m on m.company_id = t.company_id and m.user_id = u.id
        """,
        Bool.self
      )
      #expect(former == [true])
      // Devices of others get the changed records again.
      let later = try await trial.engine.superuser.rows(
        "select max(f.seq) from core.feed f group by f.company_id order by f.company_id",
        Int64.self
      )
      for (before, after) in zip(positions, later) { #expect(after >= before + 2) }
      // Others and their audit are intact, and the ledger names nobody.
      for shop in trial.shops {
        let admin = try #require(shop.members["admin"])
        #expect(try await !trial.found([admin.email], of: admin.userID).isEmpty)
      }
      let ledger = try String(contentsOfFile: "\(trial.folder)/fettle.erasures", encoding: .utf8)
      #expect(ledger.contains("\nperson ") && !ledger.contains(trial.ana.userID.text))
      // The same person can come back as somebody new.
      _ = try await Members(trial.engine.operators).add(
        trial.shops[0].operatorContext,
        email: Self.address,
        name: Self.name,
        role: "viewer"
      )
    }
  }

  @Test func `an archive does not bring an erased person back`() async throws {
    try await Trial.open { trial in
      try await trial.work()
      try FileManager.default.createDirectory(atPath: trial.folder, withIntermediateDirectories: true)
      let reader = trial.engine.database.connect(as: "fettle_backup", poolSize: 1)
      _ = try await CompanyExport(reader, trial.store, program: "tests").run(
        company: trial.shops[0].company.id,
        to: "\(trial.folder)/shop.zip"
      )
      await reader.close()
      _ = try await trial.erase()
      // She is here again, as somebody whom the archive does not know.
      let back = try await Members(trial.engine.operators).add(
        trial.shops[1].operatorContext,
        email: Self.address,
        name: "Ana Lind",
        role: "user"
      )

      var options = CompanyImport.Options()
      options.hasNewIDs = true
      options.slug = "again"
      let outcome = try await CompanyImport(trial.engine.operators, trial.store, actor: .operator("tests"))
        .run("\(trial.folder)/shop.zip", options)
      #expect(outcome.people.erased == 1 && outcome.people.new == 0 && outcome.people.known == 4)
      let again = PersonTexts(
        user: back.userID,
        texts: [Self.name, Self.address, "@ana.akerlund", trial.ana.userID.text],
        companies: [outcome.company]
      )
      let second = trial.engine.database.connect(as: "fettle_backup", poolSize: 1)
      let left = try await again.remainders(second)
      await second.close()
      #expect(left.filter { $0.company != nil }.map(\.table) == [])
      let members = try await trial.engine.superuser.rows(
        """
        select u.name ~ '^Former member' and u.status = 'disabled' and m.status = 'removed'
        from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(outcome.company) and u.email ~ 'invalid$'
        """,
        Bool.self
      )
      #expect(members == [true])
      let company = try await ActingContexts(trial.engine.operators).company("again")
      let report = try await Verification(trial.engine.operators, catalogue: trial.engine.catalogue).run([
        company
      ])
      #expect(report.findings.filter { $0.company != nil } == [])
    }
  }

  @Test func `an erased entry that is changed afterwards is found, and so is one that was blanked by hand`()
    async throws
  {
    try await Trial.open { trial in
      try await trial.work()
      _ = try await trial.erase()
      #expect(try await trial.findings() == [])
      try await trial.engine.superuser.execute(
        """
        update core.history set comment = 'put in her mouth'
        where company_id = \(trial.shops[0].company.id) and salt = '' and transition = 'start'
        """
      )
      #expect(try await trial.findings().contains { $0.hasPrefix("history_") })
      try await trial.engine.superuser.execute(
        """
        update core.history set actor_name = '', comment = null, changes = '{}', salt = ''
        where company_id = \(trial.shops[1].company.id) and record_type = 'maintenance.machine' and seq = 1
        """
      )
      #expect(try await trial.findings().contains { $0.hasPrefix("history_blanked maintenance.machine") })
    }
  }

  @Test func `the only owner of a company is not erased, nor somebody whom nobody asked to erase`()
    async throws
  {
    try await Trial.open { trial in
      let owner = try #require(trial.shops[0].members["owner"])
      let run = PersonErasure(
        trial.engine.operators.database,
        trial.store,
        ErasureLedger(path: "\(trial.folder)/fettle.erasures"),
        actor: .operator("tests")
      )
      #expect(try await refused { _ = try await run.run(user: owner.userID) }.code == .wrongState)
      #expect(try await trial.found([owner.email], of: owner.userID).isEmpty == false)
      for login in ["fettle_admin", "fettle_worker", "fettle_app"] {
        let database = trial.engine.database.connect(as: login, poolSize: 1)
        let error = await #expect(throws: PostgresError.self) {
          try await database.execute(
            "select core.erase_person_in(gen_random_uuid(), \(trial.shops[0].company.id))"
          )
        }
        #expect(error?.sqlState == .insufficientPrivilege)
        await database.close()
      }
    }
  }
}
