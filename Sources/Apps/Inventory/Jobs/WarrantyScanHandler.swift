internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Store

/// `warranty.scan`: scans for expiring warranties, all items every morning and a single item after its
/// creation, change or deletion.
package struct WarrantyScanHandler: JobHandler {
  /// The payload: the item to scan, or none for all items.
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
