internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Store

/// Looks for warranties that are about to end: every morning at all items, and after a change at the one that changed.
package struct WarrantyScanHandler: JobHandler {
  /// Which item; nil for all.
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
