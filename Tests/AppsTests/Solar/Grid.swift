import AppInterfaces
import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Glibc
import Jobs
import Postgres
import Secrets
import Store
import TestDatabase
import Testing
import Webhooks

/// A solar site whose readings are pushed to a utility server on this machine, and the worker that pushes
/// them.
struct Grid: Sendable {
  let fixture: JobFixture
  let records: Records
  let site: UUID
  let secrets: SecretFolder
  /// The technician who records readings.
  let ana: ActingContext
  let olle: ActingContext

  /// - Parameter endpoint: the utility's URL; nil for a site without an account.
  init(_ fixture: JobFixture, endpoint: String?, authReference: String? = nil) async throws {
    self.fixture = fixture
    records = try await Records.open(fixture.services)
    for (handle, role) in [("ana", "user"), ("olle", "admin")] {
      _ = try await Members(fixture.services)
        .add(fixture.operatorContext, email: "\(handle)@acme.example", name: handle.capitalized, role: role)
    }
    let contexts = ActingContexts(fixture.services)
    ana = try await contexts.take(company: "acme", operatorName: "tester", as: "ana")
    olle = try await contexts.take(company: "acme", operatorName: "tester", as: "olle")
    site = try await records.create(fixture.operatorContext, type: "solar.site", fields: ["name": "Roof"]).id
    secrets = SecretFolder(path: "/tmp/fettle-secrets-\(UUID().uuidString)")
    guard let endpoint else { return }
    var fields: JSONObject = ["site_id": .string(site.text), "endpoint": .string(endpoint)]
    if let authReference { fields["auth_ref"] = .string(authReference) }
    _ = try await records.create(fixture.operatorContext, type: "solar.utility_account", fields: fields)
  }

  /// Records a reading to be pushed.
  func record(_ value: String = "3.25") async throws -> UUID {
    try await records.create(
      ana,
      type: "solar.recording",
      fields: [
        "site_id": .string(site.text), "type": "auto_push", "value": .string(value),
        "taken_at": "2026-03-01T12:00:00Z",
      ]
    ).id
  }

  /// The reading as its view shows it.
  func show(_ id: UUID) async throws -> JSONObject {
    try await records.show(ana, type: "solar.recording", id: id)
  }

  /// The reading's history.
  func steps(_ id: UUID) async throws -> [String] {
    try await records.history(ana, type: "solar.recording", id: id).map { $0.transition ?? $0.kind }
  }

  /// Retries the push on behalf of a person.
  func retry(_ id: UUID) async throws {
    _ = try await records.transition(
      olle,
      type: "solar.recording",
      id: id,
      request: TransitionRequest("retry")
    )
  }

  /// Runs the worker without backoff until no push is left, and expects the reading to have a status then.
  ///
  /// The end is reached under any rules, so that a broken rule fails an expectation instead of hanging the
  /// test.
  func work(
    until status: String,
    _ id: UUID,
    policy: NetworkPolicy = .publicAndPrivate,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await working(policy) {
      try await until {
        try await fixture.hurry()
        return try await open("solar.push") == 0
      }
    }
    let reached = try await show(id)["status"]
    #expect(reached == .string(status), sourceLocation: sourceLocation)
  }

  /// Runs the worker during a body, with normal delays.
  func working(_ policy: NetworkPolicy = .publicAndPrivate, _ body: () async throws -> Void) async throws {
    let handlers = CompiledApps.handlers(records, policy: policy, secrets: secrets)
    try await fixture.working(fixture.worker(handlers), body)
  }

  /// The number of unfinished jobs of a kind.
  func open(_ kind: String) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where kind = \(kind) and finished_at is null",
      as: Int.self
    )
  }

  /// Stores a secret as the operator would.
  func keep(_ secret: String, under name: String, mode: mode_t = 0o600) throws {
    mkdir(secrets.path, 0o700)
    mkdir("\(secrets.path)/acme", 0o700)
    let file = Glibc.open("\(secrets.path)/acme/\(name)", O_WRONLY | O_CREAT | O_TRUNC, mode)
    defer { close(file) }
    let bytes = Array("\(secret)\n".utf8)
    _ = write(file, bytes, bytes.count)
  }
}
