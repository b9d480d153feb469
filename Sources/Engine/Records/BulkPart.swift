internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A part of a bulk transition: records that are decided and written together.
struct BulkPart {
  /// The kernel's decision on one record.
  struct Decision {
    let id: UUID
    let name: String?
    let locked: LockedRow
    /// The record's fields that the transition reads.
    let fields: JSONObject
    let verdict: Result<TransitionPlan, DomainError>
  }

  let decisions: [Decision]
  /// The writes of the permitted records; empty if each record is transitioned alone.
  let statements: [SQL]
  /// The changes left for the end of the unit of work after the statements were sent.
  let rest: Changes
}
