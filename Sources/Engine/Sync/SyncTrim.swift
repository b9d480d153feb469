package import FoundationEssentials
package import Postgres
internal import Store

/// The job `sync.trim`: deletes answers and deletions that no device needs.
package struct SyncTrim: Sendable {
  /// The kind of the job.
  package static let kind = "sync.trim"

  /// The numbers of deleted rows.
  package struct Outcome: Sendable, Equatable {
    /// Answers that devices have confirmed, and decisions older than 90 days.
    package internal(set) var items = 0
    /// Deletions that every device has.
    package internal(set) var deletions = 0

    package init() {}
  }

  /// The number of rows of a transaction.
  private static let batch = 1_000

  private let database: Database
  private let company: UUID

  package init(_ database: Database, company: UUID) {
    self.database = database
    self.company = company
  }

  /// Deletes the rows that are not needed. May be repeated at any time.
  package func run() async throws -> Outcome {
    var outcome = Outcome()
    outcome.items = try await repeated { tx in
      try tx.value("select core.forget_sync_items(\(Int32(Self.batch)))", as: Int.self)
    }
    outcome.deletions = try await repeated { tx in
      try tx.execute(FeedWriter.gate(company: company))
      return try tx.value(FeedTrim.trim(company: company, most: Self.batch), as: Int.self)
    }
    return outcome
  }

  private func repeated(_ body: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
    var total = 0
    while true {
      let count = try await database.transaction(.inside(company), body)
      total += count
      guard count == Self.batch else { return total }
    }
  }
}
