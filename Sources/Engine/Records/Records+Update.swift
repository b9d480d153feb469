package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

extension Records {
  /// Changes fields of a record.
  ///
  /// - Parameter version: the expected version; nil skips the check.
  /// - Throws: among others `stale` for another version, `forbidden`, `not_found`, and the errors of the
  ///   type's rule.
  package func update(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    fields: JSONObject,
    version: Int64? = nil,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let idempotency = key.map { ($0, hash("update \(id.text) \(version ?? 0)", name, fields)) }
    return try await perform(acting, idempotency: idempotency, dryRun: dryRun) { work in
      try update(acting, type: name, id: id, fields: fields, version: version, in: &work)
    }
  }

  /// Changes fields of a record within an existing unit of work.
  package func update(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    fields: JSONObject,
    version: Int64? = nil,
    in work: inout Work
  ) throws -> RecordAnswer {
    try apply(.update(type: name, id: id, fields: fields, version: version), acting, in: &work)
  }
}
