internal import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Store

/// Moves what a demo company has to the day that has begun. Every company gets the job; only a demo has something to
/// be moved.
package struct DemoRefreshHandler: JobHandler {
  /// Nothing: the job's company says it all.
  package struct Payload: Codable, Sendable {}

  package let kind = "demo.refresh"
  private let records: Records

  package init(_ records: Records) {
    self.records = records
  }

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let found = try await context.database.transaction(.inside(company)) { tx in
      try CompanyStore.find(id: company, tx)
    }
    guard let found, found.kind == "demo" else { return .none }
    let services = Services(database: context.database) {
      throw DomainError(.unavailable, "a refresh needs no keys")
    }
    // Each record in a unit of work of its own: what a worker that dies has moved is moved.
    try await DemoGuest(services, records).refresh(found)
    return .none
  }
}
