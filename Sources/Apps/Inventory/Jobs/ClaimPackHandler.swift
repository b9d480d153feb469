internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Store

/// `claim.pack`: sends the creator of a submitted claim a notice with the documents for the vendor as its
/// data: claim, item, proof of purchase and timeline. Creates no printable document.
package struct ClaimPackHandler: JobHandler {
  package let kind = "claim.pack"

  package init() {}

  /// - Parameter payload: written by the transitions `submit` and `appeal`.
  package func run(_ payload: RecordPayload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let key = context.idempotencyKey
    return JobEffects { tx in
      try ClaimPack.deliver(company: company, claim: payload.recordID, key: key, tx)
    }
  }
}
