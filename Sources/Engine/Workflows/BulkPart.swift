internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// So many of the records of a bulk transition as are decided and written together.
struct BulkPart {
  /// What the kernel said of one record.
  struct Decision {
    let id: UUID
    let name: String?
    let locked: LockedRow
    /// Its fields, as far as the transition asks for them.
    let fields: JSONObject
    let verdict: Result<TransitionPlan, DomainError>
  }

  let decisions: [Decision]
  /// What writes the permitted ones; none where each is taken alone.
  let statements: [SQL]
  /// What is left for the end of the unit of work once the statements were sent.
  let rest: Changes
}
