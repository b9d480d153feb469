internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Store

/// Scans for expiring warranties: all items every morning, and a single item after its change.
package struct WarrantyScanHandler: JobHandler {
  /// The item to scan; nil for all.
  package struct Payload: Codable, Sendable {
    let recordID: UUID?

    enum CodingKeys: String, CodingKey {
      case recordID = "record_id"
    }
  }

  package let kind = "warranty.scan"

  package init() {}

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    return JobEffects { tx in try WarrantyScan.run(company: company, item: payload.recordID, tx) }
  }
}
