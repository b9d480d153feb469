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

/// Names of erased people within other names, keys and states, and erasures that the database refuses.
@Suite(.timeLimit(.minutes(60))) struct PersonNamesTests {
  /// A company with people who have awkward names.
  private struct Trial: Sendable {
    let engine: EngineFixture
    let shop: Workshop
    let folder: String

    var ledger: ErasureLedger { ErasureLedger(path: "\(folder)/fettle.erasures") }
    var store: DiskStore { DiskStore(path: "\(folder)/blobs") }

    static func open(_ body: (Trial) async throws -> Void) async throws {
      let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 4)
      let folder = "\(NSTemporaryDirectory())/fettle-names-\(UUID().uuidString)"
      // A folder that is left over does no harm.
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try await body(Trial(engine: engine, shop: try await Workshop.open(in: engine), folder: folder))
      await engine.close()
    }

    func member(_ name: String, _ address: String, formerly: String? = nil) async throws -> UUID {
      let member = try await Members(engine.operators).add(
        shop.operatorContext,
        email: address,
        name: name,
        role: "user"
      )
      if let formerly {
        try await engine.superuser.execute(
          "insert into core.former_name (user_id, until, name) values (\(member.userID), now(), \(formerly))"
        )
      }
      return member.userID
    }

    func machine(_ code: String, _ name: String) async throws -> UUID {
      try await shop.records.create(
        shop.operatorContext,
        type: "maintenance.machine",
        fields: ["code": .string(code), "name": .string(name)]
      ).id
    }

    func names() async throws -> [String] {
      try await engine.superuser.rows(
        """
        select m.code || ': ' || regexp_replace(m.name, 'Former member [0-9a-f]{4}', 'FORMER', 'g')
        from maintenance.machine m
        where m.code <> 'RM-001'
        order by m.code
        """,
        String.self
      )
    }

    func run(_ user: UUID) async throws -> PersonErasure.Outcome {
      try await PersonErasure(engine.operators.database, store, ledger, actor: .operator("tests")).run(
        user: user
      )
    }

    /// Erases a person, and returns what is left.
    func erase(_ user: UUID) async throws -> [PersonTexts.Remainder] {
      let reader = engine.database.connect(as: "fettle_backup", poolSize: 1)
      let texts = try await PersonTexts.read(of: user, reader)
      _ = try await run(user)
      let left = try await texts.remainders(reader)
      await reader.close()
      return left
    }

    func findings() async throws -> [String] {
      let report = try await Verification(engine.operators, catalogue: engine.catalogue).run([shop.company])
      return report.findings.filter { $0.company != nil }.map(\.what)
    }
  }

  @Test func `other people, keys and states keep their words, and what is left is listed`() async throws {
    try await Trial.open { trial in
      let olle = try await trial.member("Olle", "olle@people.example")
      let other = try await trial.member("Olle Svensson", "olle.svensson@people.example")
      let words = [
        try await trial.member("Admin", "adm@people.example"),
        try await trial.member("Pending", "pen@people.example"),
      ]
      let key = try await trial.machine("OLLE-2", "Olle Svenssons borr")
      let others = "@olle.svensson, olle.svensson@people.example"
      _ = try await trial.machine("RM-2", "Borr: Olle's, \(others)")
      _ = try await trial.machine("RM-3", "A collection of @olle and olle@people.example")
      let acting = ActingContext(company: trial.shop.company, actor: .member(other), user: other)
      let entry = try await trial.shop.records.create(
        acting,
        type: "maintenance.entry",
        fields: trial.shop.fields(["description": "Olle läckte, och så Olle."])
      ).id

      let left = try await trial.erase(olle)
      #expect(left.map(\.table) == ["core.history", "maintenance.machine"])
      #expect(left.map(\.samples) == Array(repeating: ["maintenance.machine \(key.text)"], count: 2))
      let former = try await trial.engine.superuser.rows(
        "select split_part(u.email, '@', 1) from core.app_user u where u.email ~ '^former-'",
        String.self
      )
      let handle = try #require(former.first)
      #expect(
        try await trial.names() == [
          "OLLE-2: Olle Svenssons borr",
          "RM-2: Borr: FORMER's, \(others)",
          "RM-3: A collection of @\(handle) and \(handle)@erased.invalid",
        ]
      )
      let texts = try await trial.engine.superuser.rows(
        """
        select e.created_by_name || ': ' || regexp_replace(e.description, 'Former member [0-9a-f]{4}', 'FORMER', 'g')
        from maintenance.entry e
        where e.id = \(entry)
        """,
        String.self
      )
      #expect(texts == ["Olle Svensson: FORMER läckte, och så FORMER."])
      for word in words { #expect(try await trial.erase(word).map(\.table) == []) }
      #expect(try await trial.findings() == [])
    }
  }

  @Test func `the longest name counts, with its genitive and in decomposed letters`() async throws {
    try await Trial.open { trial in
      let lund = try await trial.member("Åsa Öberg-Lund", "asa@people.example", formerly: "Åsa Öberg")
      let cy = try await trial.member("Cy Holm", "cy@people.example", formerly: "Cy Ek")
      _ = try await trial.machine(
        "M-1",
        "åsa öberg-lunds tvist, Åsa Öberg:s bil, Åsa Öberg-Ek, Åsa Öbergsson"
      )
      let file = try await trial.machine("M-2", "photo")
      try await trial.engine.superuser.transaction(.inside(trial.shop.company.id, mode: .engine)) { tx in
        try tx.execute(
          "update maintenance.machine set name = normalize('Åsa Öberg.pdf', nfd) where id = \(file)"
        )
      }
      _ = try await trial.member("Cy Holm Berg", "berg@people.example")
      _ = try await trial.machine("M-3", "Cy Holm Bergs bil")
      // Two names that are keys do not become one.
      let keys = [
        try await trial.machine("Cy Ek", "Cy Eks borr"), try await trial.machine("Cy Holm", "cy holm’s borr"),
      ]
      let left = try await trial.erase(cy)
      #expect(left.map(\.table) == ["core.history", "maintenance.machine"])
      #expect(Set(left[1].samples) == Set(keys.map { "maintenance.machine \($0.text)" }))
      // A name that goes on as another one is listed and stays.
      #expect(try await trial.erase(lund).map(\.table) == ["core.history", "maintenance.machine"])
      #expect(
        try await trial.names() == [
          "Cy Ek: FORMER:s borr", "Cy Holm: FORMER’s borr",
          "M-1: FORMER:s tvist, FORMER:s bil, Åsa Öberg-Ek, Åsa Öbergsson", "M-2: FORMER.pdf",
          "M-3: Cy Holm Bergs bil",
        ]
      )
      #expect(try await trial.findings() == [])
    }
  }

  @Test func `a refused erasure says what to do, does not stop a replay, and is continued`() async throws {
    try await Trial.open { trial in
      let ana = try await trial.member("Ana Ek", "ana@people.example")
      let bea = try await trial.member("Bea Ek", "bea@people.example")
      _ = try await trial.machine("M-1", "Ana Eks borr")
      try await trial.engine.superuser.execute(
        "alter table maintenance.machine add constraint no_former check (strpos(name, 'Former') = 0)"
      )
      let refusal = try await refused { _ = try await trial.run(ana) }
      #expect(refusal.code == .wrongState && refusal.message.contains("maintenance.machine"))
      #expect(refusal.hint.contains("fettle person erase"))

      let entries = [ana, bea].map {
        ErasureLedger.Entry(kind: "person", digest: SHA256.hash(withUnsafeBytes(of: $0.uuid) { Array($0) }))
      }
      let replay = try await ErasureReplay(
        trial.engine.operators.database,
        trial.store,
        trial.ledger,
        actor: .operator("restore")
      ).run(entries)
      #expect(replay.erased == 1 && replay.failures.count == 1)
      #expect(replay.failures.first?.contains("fettle person erase ana@people.example --yes") == true)
      let accounts = try await trial.engine.superuser.rows(
        "select u.name || ' ' || u.status from core.app_user u where u.name ~ ' Ek$' order by 1",
        String.self
      )
      #expect(accounts == ["Ana Ek disabled"])
      #expect(try trial.ledger.read() == entries)

      try await trial.engine.superuser.execute("alter table maintenance.machine drop constraint no_former")
      #expect(try await trial.erase(ana).map(\.table) == [])
      #expect(try await trial.names() == ["M-1: FORMER:s borr"])
    }
  }
}
