package import Domain
internal import FoundationEssentials
package import Postgres
package import Store

/// A rule of one record type that requires data beyond the row: another row, the company's time zone, the
/// actor's name.
///
/// The rule first queues its reads in a pipeline. Once they have completed, it computes the engine's columns
/// or refuses the write. It runs for every writer: single commands, batches, imports, pushes of devices,
/// transitions with fields and restorations. `fettle verify` runs it over stored records.
package struct RecordRule: Sendable {
  /// Returns the computed columns or throws the refusal; called after the reads have completed.
  package typealias Verdict = (Access) throws -> JSONObject

  /// Returns the fields of a creation or an edit in their stored form: rounded, trimmed, in canonical
  /// spelling.
  package let normalise: @Sendable (_ fields: JSONObject) throws -> JSONObject
  /// Queues the reads for a record with these fields and returns the verdict to call afterwards.
  package private(set) var check:
    @Sendable (_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) throws -> Verdict

  /// True to lock the parents of a new record against concurrent creations of children, because the rule
  /// counts these.
  package let locksParents: Bool

  /// The types of other records on which the verdict depends, besides those to which the record refers. Earlier changes
  /// of these types are written before the rule asks.
  package let dependsOn: Set<String>

  /// The columns of the table that ``check`` reads of an edited record, besides the written ones; nil if it may read any
  /// column of the view. A batch of edits then reads no view.
  package let reads: [String]?

  /// The columns that the rule computes once, at creation. Edits of any member keep their values.
  package let atCreation: Set<String>

  /// The columns without null and default to which the rule gives a value if nobody does. They are not required of a caller.
  package let fills: Set<String>

  /// Error codes by column. They replace the code of an unreadable value.
  package let codes: [String: ErrorCode]

  package init(
    locksParents: Bool = false,
    dependsOn: Set<String> = [],
    reads: [String]? = nil,
    atCreation: Set<String> = [],
    fills: Set<String> = [],
    codes: [String: ErrorCode] = [:],
    normalise: @escaping @Sendable (_ fields: JSONObject) throws -> JSONObject = { $0 },
    _ check:
      @escaping @Sendable (_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) throws
      -> Verdict
  ) {
    self.locksParents = locksParents
    self.dependsOn = dependsOn
    self.reads = reads
    self.atCreation = atCreation
    self.fills = fills
    self.codes = codes
    self.normalise = normalise
    self.check = check
  }

  /// Returns the rule with another check.
  func checking(
    _ check:
      @escaping @Sendable (_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) throws
      -> Verdict
  ) -> RecordRule {
    var rule = self
    rule.check = check
    return rule
  }
}

extension Actor {
  /// The engine while it checks restored records, which are stored by then. To a rule that compares records with each
  /// other they are new.
  package static let restoration = Actor.system("restore")
}

extension JSONObject {
  /// True for the fields of a stored record, which an edit, a restoration or a verification checks. Conditions that
  /// hold only at creation, such as the existence of an account to push to, do not apply to it.
  package var isStoredRecord: Bool { self["created_at"] != nil }
}
