internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Store

/// Creates the vendor documents of a submitted claim: item, proof and timeline, as the data of a notice to
/// the claim's creator. A printable document comes with the export of documents.
package struct ClaimPackHandler: JobHandler {
  /// The claim.
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
