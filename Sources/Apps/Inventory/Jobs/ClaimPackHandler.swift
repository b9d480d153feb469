internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Store

/// Gathers what goes to the vendor when a claim is submitted: item, proof and timeline, as the data of a notice to
/// whoever made the claim. A document for print comes with the export of documents.
package struct ClaimPackHandler: JobHandler {
  /// Which claim.
  package struct Payload: Codable, Sendable {
    let recordID: UUID

    enum CodingKeys: String, CodingKey {
      case recordID = "record_id"
    }
  }

  package let kind = "claim.pack"

  package init() {}

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let key = context.idempotencyKey
    return JobEffects { tx in
      try ClaimPack.deliver(company: company, claim: payload.recordID, key: key, tx)
    }
  }
}
