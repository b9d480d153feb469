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
    /// The fields that the decision reads.
    let fields: JSONObject
    let verdict: Result<TransitionPlan, DomainError>
  }

  let decisions: [Decision]
  /// The statements that write the permitted records; empty if each record is transitioned alone.
  let statements: [SQL]
  /// The changes that the unit of work writes at its end, after these statements.
  let rest: Changes
}
