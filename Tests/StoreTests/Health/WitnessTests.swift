import Foundation
import Postgres
import TestDatabase
import Testing

@testable import Store

/// A witness outside the database shows that the data were restored.
@Suite(.timeLimit(.minutes(60))) struct WitnessTests {
  private static let installation = UUID()
  private static let epoch = UUID()

  private static func standing(
    installation: UUID = installation,
    epoch: UUID = epoch,
    replaced: [UUID] = [],
    isKept: Bool = false,
    system: String = "1",
    timeline: Int64 = 1,
    position: Int64 = 100,
    database: Int64 = 0,
    isSynchronous: Bool = false
  ) -> DataStanding {
    DataStanding(
      installation: installation,
      epoch: epoch,
      replaced: replaced,
      isKept: isKept,
      system: system,
      timeline: timeline,
      position: position,
      database: database,
      isSynchronous: isSynchronous
    )
  }

  @Test func `another server, another timeline and a lower position show a loss`() {
    let witness = Witness(Self.standing())
    #expect(witness.judge(Self.standing(position: 100)) == .same)
    #expect(witness.judge(Self.standing(position: 5_000)) == .same)
    #expect(witness.judge(Self.standing(position: 99)) == .lost(.position))
    #expect(witness.judge(Self.standing(timeline: 2, position: 5_000)) == .lost(.timeline))
    #expect(witness.judge(Self.standing(system: "2", position: 5_000)) == .lost(.system))
    // A database of another installation says nothing about this one.
    #expect(witness.judge(Self.standing(installation: UUID(), system: "2", position: 1)) == .same)
  }

  @Test func `a promotion for which commits waited keeps the epoch if the log goes on`() {
    let witness = Witness(Self.standing(timeline: 3, database: 1, isSynchronous: true))
    #expect(witness.judge(Self.standing(timeline: 4, database: 1, isSynchronous: true)) == .kept(.timeline))
    // Whether they wait on the new primary does not matter.
    #expect(witness.judge(Self.standing(timeline: 5, position: 200, database: 1)) == .kept(.timeline))
    #expect(witness.judge(Self.standing(timeline: 4, position: 99, database: 1)) == .lost(.timeline))
    #expect(witness.judge(Self.standing(timeline: 2, position: 200, database: 1)) == .lost(.olderTimeline))
    #expect(witness.judge(Self.standing(timeline: 3, position: 99, database: 1)) == .lost(.position))
    #expect(witness.judge(Self.standing(system: "2", timeline: 4, database: 1)) == .lost(.system))
    #expect(witness.judge(Self.standing(timeline: 4, database: 2)) == .lost(.database))
    let alone = Witness(Self.standing(timeline: 3))
    #expect(alone.judge(Self.standing(timeline: 4, isSynchronous: true)) == .lost(.timeline))
  }

  @Test func `another database of the same server shows a loss, unless its number was not known`() {
    let witness = Witness(Self.standing(database: 1))
    #expect(witness.judge(Self.standing(position: 200, database: 2)) == .lost(.database))
    let first = "fettle-witness 1 \(Self.installation.uuidString) \(Self.epoch.uuidString) 1 1 100\n"
    #expect(Witness(text: first)?.judge(Self.standing(position: 200, database: 2)) == .same)
    #expect(Witness(text: witness.text) == witness)
  }

  @Test func `a loss for which the epoch was replaced already does not replace it again`() {
    let witness = Witness(Self.standing())
    let replaced = Self.standing(epoch: UUID(), replaced: [Self.epoch], position: 1)
    #expect(witness.judge(replaced) == .replaced)
    // An older epoch is that of an older backup.
    #expect(witness.judge(Self.standing(epoch: UUID(), position: 1)) == .lost(.position))
  }

  @Test func `an announced promotion keeps the epoch unless the position is lower`() {
    let witness = Witness(Self.standing())
    #expect(witness.judge(Self.standing(isKept: true, timeline: 2)) == .kept(.timeline))
    #expect(witness.judge(Self.standing(isKept: true, system: "2")) == .kept(.system))
    #expect(witness.judge(Self.standing(isKept: true, timeline: 2, position: 99)) == .lost(.timeline))
    #expect(witness.judge(Self.standing(isKept: true, position: 99)) == .lost(.position))
  }

  @Test func `the file has the last witness, and nonsense is no witness`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "witness-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // a leftover folder does no harm
    let file = WitnessFile(path: folder.path + "/fettle.witness")
    #expect(file.read() == nil)
    for position in [Int64(1), 1 << 40] {
      let witness = Witness(Self.standing(position: position))
      try file.write(witness)
      #expect(file.read() == witness)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["fettle.witness"])
    try Data("fettle-witness 2 what is this".utf8).write(to: URL(filePath: file.path))
    #expect(file.read() == nil)
    #expect(throws: WitnessFile.Failure.self) {
      try WitnessFile(path: "/proc/none/fettle.witness").write(Witness(Self.standing()))
    }
  }

  @Test func `the file is beside the keys, unless it is named or the keys are a credential`() {
    func path(_ environment: [String: String] = [:], isCredential: Bool = false) -> String {
      WitnessFile.locate(
        environment: environment,
        keys: "/etc/fettle/fettle.key",
        isCredential: isCredential,
        home: "/var/lib/fettle"
      ).path
    }
    #expect(path() == "/etc/fettle/fettle.witness")
    #expect(path(isCredential: true) == "/var/lib/fettle/fettle.witness")
    #expect(path(["FETTLE_WITNESS": "/mnt/w"], isCredential: true) == "/mnt/w")
  }

  @Test(arguments: ["fettle_app", "fettle_worker"])
  func `a process begins one epoch for a loss, whatever number of processes see it`(role: String) async throws
  {
    let test = try await TestDatabase.make()
    let database = test.connect(as: role, poolSize: 4)
    let now = try #require(try await DataStanding.read(database))
    #expect(try await Restoration.check(database, Witness(now)).0 == .none)
    #expect(try await DataStanding.read(database)?.epoch == now.epoch)
    let lost = Witness(
      Self.standing(
        installation: now.installation,
        epoch: now.epoch,
        system: now.system,
        timeline: now.timeline,
        position: now.position + 1_000_000_000
      )
    )
    let outcomes = try await withThrowingTaskGroup { group in
      for _ in 0..<4 { group.addTask { try await Restoration.check(database, lost) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let after = try #require(try await DataStanding.read(database))
    #expect(after.epoch != now.epoch)
    #expect(after.replaced.contains(now.epoch))
    #expect(Set(outcomes.map { $0.1?.epoch }) == [after.epoch])
    #expect(outcomes.contains { $0.0 == .rewound(.position) })
    // A process that starts later with the old witness.
    #expect(try await Restoration.check(database, lost).0 == .none)
    #expect(try await DataStanding.read(database)?.epoch == after.epoch)
    await database.close()
  }

  @Test func `an operator announces a promotion for an hour`() async throws {
    let test = try await TestDatabase.make()
    let (app, admin) = (test.connect(as: "fettle_app"), test.connect(as: "fettle_admin"))
    let now = try #require(try await DataStanding.read(app))
    let promoted = Witness(
      Self.standing(
        installation: now.installation,
        epoch: now.epoch,
        system: now.system,
        timeline: now.timeline - 1,
        position: now.position
      )
    )
    _ = try await admin.value("select core.keep_epoch()", as: Instant.self)
    #expect(try await Restoration.check(app, promoted).0 == .kept)
    #expect(try await DataStanding.read(app)?.epoch == now.epoch)
    let superuser = test.connect(as: "postgres", poolSize: 1)
    try await superuser.execute("update core.installation set kept_until = now() - interval '1 second'")
    #expect(try await Restoration.check(app, promoted).0 == .rewound(.timeline))
    #expect(try await DataStanding.read(app)?.epoch != now.epoch)
    for database in [app, admin, superuser] { await database.close() }
  }

  @Test func `a keeper writes where the data are, and compares them later`() async throws {
    let test = try await TestDatabase.make()
    let database = test.connect(as: "fettle_worker", poolSize: 2)
    let path = FileManager.default.temporaryDirectory.appending(path: "witness-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }  // a leftover file does no harm
    let file = WitnessFile(path: path)
    #expect(try await WitnessKeeper(file) { _ in }.check(database) == .none)
    let first = try #require(file.read())
    try file.write(
      Witness(
        Self.standing(
          installation: first.installation,
          epoch: first.epoch,
          system: first.system,
          timeline: first.timeline,
          position: first.position + 1_000_000_000
        )
      )
    )
    let keeper = WitnessKeeper(file) { _ in }
    #expect(try await keeper.check(database) == .rewound(.position))
    #expect(file.read()?.epoch != first.epoch)
    #expect(try await keeper.check(database) == .none)
    await database.close()
  }

  /// A database whose connections a keeper guards, with the keeper's file.
  private struct Guarded {
    let test: TestDatabase
    let keeper: WitnessKeeper
    let database: Database
    let file: WitnessFile
  }

  private func guarded(_ test: TestDatabase) async throws -> Guarded {
    let path = FileManager.default.temporaryDirectory.appending(path: "witness-\(UUID().uuidString)").path
    let file = WitnessFile(path: path)
    let keeper = WitnessKeeper(file) { _ in }
    var configuration = Database.Configuration(
      parameters: test.parameters.merging(["user": "fettle_app"]) { $1 },
      poolSize: 2
    )
    keeper.guardConnections(of: &configuration)
    return Guarded(test: test, keeper: keeper, database: Database(configuration), file: file)
  }

  /// Puts another database in the place of one, as an operator does: under its name, without stopping a process.
  private func swap(_ test: TestDatabase, by statement: SQL) async throws {
    let server = Database(
      Database.Configuration(
        parameters: test.parameters.merging(["user": "postgres", "dbname": "postgres"]) { $1 },
        poolSize: 1
      )
    )
    let name = try #require(test.parameters["dbname"])
    try await server.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = \(name)")
    try await server.execute("alter database \(identifier: name) rename to \(identifier: "\(name)_old")")
    try await server.execute(statement)
    await server.close()
  }

  @Test func `the first statement after a copy was swapped in is one of the new epoch`() async throws {
    let test = try await TestDatabase.make()
    let guarded = try await guarded(test)
    defer { try? FileManager.default.removeItem(atPath: guarded.file.path) }  // a leftover file does no harm
    let epoch: SQL = "select i.epoch from core.installation i"
    let before = try await guarded.database.value(epoch, as: UUID.self)
    #expect(guarded.file.read()?.epoch == before)
    let name = try #require(test.parameters["dbname"])
    try await swap(
      test,
      by: "create database \(identifier: name) template \(identifier: "\(name)_old") strategy file_copy"
    )
    // No check ran in between: the connection itself waits for the comparison.
    let after = try await guarded.database.value(epoch, as: UUID.self)
    #expect(after != before)
    #expect(guarded.file.read()?.epoch == after)
    #expect(try await guarded.database.value(epoch, as: UUID.self) == after)
    await guarded.database.close()
  }

  @Test func `the database of another installation is not served`() async throws {
    let test = try await TestDatabase.make()
    let guarded = try await guarded(test)
    defer { try? FileManager.default.removeItem(atPath: guarded.file.path) }  // a leftover file does no harm
    _ = try await guarded.database.value("select 1", as: Int.self)
    let name = try #require(test.parameters["dbname"])
    let other = try await TestDatabase.make()
    let superuser = other.connect(as: "postgres", poolSize: 1)
    try await superuser.execute("update core.installation set id = gen_random_uuid()")
    await superuser.close()
    let otherName = try #require(other.parameters["dbname"])
    try await swap(test, by: "alter database \(identifier: otherName) rename to \(identifier: name)")
    let refusal = await #expect(throws: PostgresError.self) {
      try await guarded.database.value("select 1", as: Int.self)
    }
    #expect(refusal?.kind == .connection)
    await guarded.database.close()
  }
}
