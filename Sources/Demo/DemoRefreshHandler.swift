internal import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
internal import Store

/// `demo.refresh`: moves the dates of a demo company to today. Every company gets the job; it does nothing in
/// a company of another kind.
package struct DemoRefreshHandler: JobHandler {
  /// The empty payload. The company of the job is the one to refresh.
  package struct Payload: Codable, Sendable {}

  package let kind = "demo.refresh"
  private let records: Records
  private let demos: [any AppDemo]

  package init(_ records: Records, _ demos: [any AppDemo]) {
    self.records = records
    self.demos = demos
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
    // Each record is moved in its own unit of work, so that finished moves remain if the worker dies.
    try await DemoGuest(services, records, demos).refresh(found)
    return .none
  }
}
