package import Domain
internal import FoundationEssentials
package import Postgres
package import Store

/// A rule of one record type that needs more than the row: another row, the company's time zone, the actor's name.
///
/// It queues what it must read into the first round trip, and afterwards computes the columns that the engine
/// writes, or refuses.
package struct RecordRule: Sendable {
  /// Computes or refuses, once the reads are there.
  package typealias Verdict = (Access) throws -> JSONObject

  /// The fields of a creation or an edit as they are stored: rounded, trimmed, in one spelling.
  package let normalise: @Sendable (_ fields: JSONObject) throws -> JSONObject
  /// Queues the reads for a record with these fields.
  package let check:
    @Sendable (_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) throws -> Verdict

  /// Whether the parents of a new record are locked against each other's children: the rule counts them.
  package let locksParents: Bool

  /// Whether every line of an import is checked too, each against those before it.
  package let checksImports: Bool

  /// The codes under which values of some columns are refused that cannot be read, where the type has its own.
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
