internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// Installs this program's schema and apps in the embedded PostgreSQL.
struct EmbeddedInstallation {
  private let cluster: EmbeddedCluster

  init(_ cluster: EmbeddedCluster) {
    self.cluster = cluster
  }

  /// Creates the database and the roles if they are missing, migrates the schema and installs the bundled
  /// apps.
  ///
  /// If everything is current, sends one query only.
  func prepare() async throws {
    if try await !isCurrent() {
      try await cluster.with("postgres", user: "postgres") { superuser in
        try await Installation.createDatabase("fettle", superuser: superuser)
      }
      try await cluster.with("fettle", user: "postgres") { superuser in
        try await Installation.prepareRoles(superuser: superuser)
      }
      try await cluster.with("fettle", user: "fettle_migrator") { admin in
        // Each file has a line in `fettle migrate`; here they would push the address off the screen.
        let files = Mutex(0)
        let outcome = try await Installation.install(admin, actor: .operator(Operator.name)) { event in
          if case .applied = event { files.withLock { $0 += 1 } } else { Message.tell(event) }
        }
        let count = files.withLock { $0 }
        if count > 0 { Message.tell("applied \(count) \(count == 1 ? "file" : "files") of tables") }
        for app in outcome.apps where app.changed { Message.tell(AppInstallation.sentence(app)) }
      }
    }
  }

  private func isCurrent() async throws -> Bool {
    do {
      return try await cluster.with("fettle", user: "fettle_admin") { admin in
        try await Installation.isCurrent(admin)
      }
    } catch let error as PostgresError where error.kind == .connection || error.kind == .server {
      return false  // the database or the role does not exist yet
    }
  }
}
