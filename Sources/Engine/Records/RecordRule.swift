package import Domain
internal import FoundationEssentials
package import Postgres
package import Store

/// A rule of one record type that requires data beyond the row: another row, the company's time zone, the
/// actor's name.
///
/// It queues its reads into the first round trip. Afterwards it computes the engine's columns or refuses.
package struct RecordRule: Sendable {
  /// Computes the columns or refuses, once the reads have completed.
  package typealias Verdict = (Access) throws -> JSONObject

  /// Returns the fields of a creation or an edit as they are stored: rounded, trimmed, in canonical spelling.
  package let normalise: @Sendable (_ fields: JSONObject) throws -> JSONObject
  /// Queues the reads for a record with these fields.
  package let check:
    @Sendable (_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) throws -> Verdict

  /// True to lock the parents of a new record against concurrent children, because the rule counts them.
  package let locksParents: Bool

  /// True to check every line of an import too, each against the lines before it.
  package let checksImports: Bool

  /// Error codes by column for unreadable values, where the type has its own.
  package let codes: [String: ErrorCode]

  package init(
    locksParents: Bool = false,
    checksImports: Bool = false,
    codes: [String: ErrorCode] = [:],
    normalise: @escaping @Sendable (_ fields: JSONObject) throws -> JSONObject = { $0 },
    _ check:
      @escaping @Sendable (_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) throws
      -> Verdict
  ) {
    self.locksParents = locksParents
    self.checksImports = checksImports
    self.codes = codes
    self.normalise = normalise
    self.check = check
  }
}
