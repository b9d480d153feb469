import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// An accepted app works. Each test leaves out one column, privilege or manifest entry of the example. Either
/// the installation refuses it and names the omission, or all operations on records work.
@Suite(.serialized, .timeLimit(.minutes(60))) struct AppContractTests {
  @Test func `an app with any omission is refused or works`() async throws {
    let omissions = try Omission.all()
    #expect(omissions.count > 90)
    let trial = try await TestDatabase.make()
    let admin = trial.connect(poolSize: 1)
    let upgraded = try await Self.database(with: ExampleApp.read())
    var accepted: [Omission] = []
    for omission in omissions {
      let database = omission.revoke == nil ? admin : upgraded.admin
      if try await Self.isAccepted(omission, on: database) { accepted.append(omission) }
    }
    await admin.close()
    await upgraded.admin.close()
    #expect((15...(omissions.count - 60)).contains(accepted.count), "\(accepted.map(\.name))")
    for omission in accepted {
      do {
        try await Self.work(with: omission)
      } catch {
        Issue.record("without \(omission.name): \(error)")
      }
    }
  }

  @Test func `the example as it is does all of it`() async throws {
    try await Self.work(with: Omission("nothing", ExampleApp.read()))
  }

  /// True if the installation succeeds; a refusal must be about the app and have a hint.
  private static func isAccepted(_ omission: Omission, on admin: Database) async throws -> Bool {
    do {
      _ = try await AppInstaller(admin).install(omission.app.package(), dryRun: true)
      return true
    } catch let error as DomainError {
      let codes: Set<ErrorCode> = [
        .invalidManifest, .refusedSQL, .invalidDocument, .migrationFailed, .unknownKey,
      ]
      #expect(codes.contains(error.code) && !error.hint.isEmpty, "\(omission.name): \(error)")
      return false
    }
  }

  private static func database(with app: ExampleApp) async throws -> (database: TestDatabase, admin: Database)
  {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(app.package())
    return (database, admin)
  }

  /// Installs the app and performs all operations on its records.
  private static func work(with omission: Omission) async throws {
    let first = try omission.revoke == nil ? omission.app : ExampleApp.read()
    let (database, admin) = try await Self.database(with: first)
    if omission.revoke != nil { _ = try await AppInstaller(admin).install(omission.app.package()) }
    await admin.close()
    let engine = try await EngineFixture.open(database, poolSize: 2)
    let orchard = try await Orchard.make("contract", in: engine)
    try await Errand(orchard: orchard).run()
    await engine.close()
  }
}
