import Foundation
import Postgres
import TestDatabase
import Testing

@testable import Store

/// A witness outside the database shows that the data were restored.
@Suite(.timeLimit(.minutes(10))) struct WitnessTests {
  private static let installation = UUID()
  private static let epoch = UUID()

  private static func standing(
    installation: UUID = installation,
    epoch: UUID = epoch,
    replaced: [UUID] = [],
    isKept: Bool = false,
    system: String = "1",
    timeline: Int64 = 1,
    position: Int64 = 100
  ) -> DataStanding {
    DataStanding(
      installation: installation,
      epoch: epoch,
      replaced: replaced,
      isKept: isKept,
      system: system,
      timeline: timeline,
      position: position
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
    _ = try await admin.value("select core.keep_epoch()", as: Timestamp.self)
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
    #expect(try await WitnessKeeper(database, file) { _ in }.check() == .none)
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
    let keeper = WitnessKeeper(database, file) { _ in }
    #expect(try await keeper.check() == .rewound(.position))
    #expect(file.read()?.epoch != first.epoch)
    #expect(try await keeper.check() == .none)
    await database.close()
  }
}
