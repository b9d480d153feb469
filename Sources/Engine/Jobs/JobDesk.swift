internal import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// Looking at a company's jobs, retrying and cancelling them.
package struct JobDesk: Sendable {
  /// A job with what it is about and what became of it.
  package struct Detail: Sendable {
    package let job: JobRow
    package let payload: JSON?
    package let attempts: [JobAttemptRow]
  }

  private let services: Services
  private let office: Office

  package init(_ services: Services) {
    self.services = services
    office = Office(services)
  }

  /// The newest jobs of all companies, for operators: control rows, no payloads.
  package func all(state: String?, kind: String?, limit: Int) async throws -> [JobRow] {
    try await services.database.transaction { tx in
      try JobListing.newest(company: nil, state: state, kind: kind, limit: limit, tx)
    }
  }

  /// The newest jobs of a company.
  package func list(_ seat: Seat, state: String?, kind: String?, limit: Int) async throws -> [JobRow] {
    try await office.look(seat, permission: "job.read") { tx, _ in
      try JobListing.newest(company: seat.company.id, state: state, kind: kind, limit: limit, tx)
    }
  }

  /// The id of the job that people call by the beginning of it.
  ///
  /// - Throws: `not_found`, or `invalid_input` when it fits several.
  package func resolve(_ seat: Seat, _ text: String) async throws -> UUID {
    if let id = UUID(uuidString: text) { return id }
    let found = try await office.look(seat, permission: "job.read") { tx, _ in
      try JobListing.ids(company: seat.company.id, beginning: text, tx)
    }
    guard found.count < 2 else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) fits more than one job",
        hint: "write more of the id"
      )
    }
    guard let id = found.first else {
      throw DomainError(
        .notFound,
        "there is no job \(Quoted(text)) in \(seat.company.slug)",
        hint: "`fettle job list --company \(seat.company.slug)` shows them"
      )
    }
    return id
  }

  /// One job with its attempts.
  package func show(_ seat: Seat, id: UUID) async throws -> Detail {
    try await office.look(seat, permission: "job.read") { tx, _ in
      guard let job = try JobListing.find(company: seat.company.id, id: id, tx) else {
        throw DomainError(.notFound, "there is no such job in \(seat.company.slug)")
      }
      return Detail(
        job: job,
        payload: try JobListing.payload(company: seat.company.id, id: id, tx),
        attempts: try JobListing.attempts(company: seat.company.id, id: id, tx)
      )
    }
  }

  /// Queues a dead or cancelled job again.
  package func retry(_ seat: Seat, id: UUID) async throws {
    try await change(seat, id: id, "job.retry", to: "retried", JobListing.retry)
    await JobBell(services.database).ring()
  }

  /// Cancels a job that waits.
  package func cancel(_ seat: Seat, id: UUID) async throws {
    try await change(seat, id: id, "job.cancel", to: "cancelled", JobListing.cancel)
  }

  private func change(
    _ seat: Seat,
    id: UUID,
    _ permission: String,
    to outcome: String,
    _ body: @escaping @Sendable (UUID, UUID, Transaction) throws -> Bool
  ) async throws {
    try await office.administer(seat, permission: permission) { tx, _ in
      guard try body(seat.company.id, id, tx) else {
        guard let job = try JobListing.find(company: seat.company.id, id: id, tx) else {
          throw DomainError(.notFound, "there is no such job in \(seat.company.slug)")
        }
        throw DomainError(.wrongState, "the job is \(job.state) and cannot be \(outcome)")
      }
      return ((), [AuditEntry(action: "job.\(outcome)", subjectType: "job", subjectID: id.text)])
    }
  }
}
