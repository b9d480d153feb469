internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Notifies the watchers of a record of a transition.
///
/// The actor is not notified, nor are the recipients of the transition's own `notify` effects. After a
/// transition by the system, the creator is notified only if they watch the record.
package struct WatcherHandler: JobHandler {
  /// The payload that a transition of a watched record enqueues.
  package struct Payload: Codable, Sendable {
    /// The type of the record.
    let recordType: String
    /// The record whose transition is reported.
    let recordID: UUID
    /// The number of the transition's entry in the record's history.
    let historySeq: Int64

    enum CodingKeys: String, CodingKey {
      case recordType = "record_type"
      case recordID = "record_id"
      case historySeq = "history_seq"
    }
  }

  /// `watchers.tell`.
  package let kind = "watchers.tell"
  private let catalogue: @Sendable () -> TypeCatalogue

  /// Creates a handler.
  ///
  /// - Parameter catalogue: called for each job, because types change while a worker runs.
  package init(_ catalogue: @escaping @autoclosure @Sendable () -> TypeCatalogue) {
    self.catalogue = catalogue
  }

  /// Returns effects that deliver the notice, once per member and transition. They write nothing if the
  /// record was deleted meanwhile or the history entry is not a transition.
  ///
  /// - Throws: an error if the record type is unknown; the job is retried.
  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let type = try catalogue().type(payload.recordType)
    let company = context.job.company
    return JobEffects { tx in
      let notices = Notices(type: type, company: company, record: payload.recordID)
      guard let document = try notices.document(tx),
        let taken = try Self.taken(payload, company: company, tx)
      else { return }
      var told: [UUID] = []
      for effect in type.workflow?.transition(taken.transition)?.effects ?? [] {
        guard case .notify(let recipient, _) = effect else { continue }
        told += try recipient.people(of: document, company: company, tx)
      }
      let watchers = try notices.watchers(
        document,
        includesCreator: !taken.isSystem,
        without: told + [taken.person],
        tx
      )
      let data: JSONObject = [
        "record": .string(notices.title(document)), "actor": .string(taken.actor),
        "status": .string(type.workflow?.state(taken.to)?.label ?? taken.to),
        "transition": .string(type.workflow?.transition(taken.transition)?.label ?? taken.transition),
      ]
      let key = "watched:\(payload.recordID.uuidString.lowercased()):\(payload.historySeq)"
      try notices.deliver("transition", to: watchers, about: document, data: data, key: key, tx)
    }
  }

  /// A transition, read from history.
  private struct Taken {
    /// The transition's name in the workflow.
    let transition: String
    /// The name of the state after the transition.
    let to: String
    /// The current name of the person, or the name that history recorded if there is no such user.
    let actor: String
    /// The member who made the transition, or on whose behalf it was made.
    let person: UUID?
    /// True if the system made the transition.
    let isSystem: Bool
  }

  /// Reads the transition from history; nil if the entry is gone or is not a transition.
  private static func taken(_ payload: Payload, company: UUID, _ tx: Transaction) throws -> Taken? {
    let row = try tx.first(
      """
      select h.transition, h.to_status, coalesce(u.name, h.actor_name), coalesce(h.on_behalf_of, h.actor_id),
        h.actor_kind = 'system'
      from core.history h
      left join core.app_user u on u.id = coalesce(h.on_behalf_of, h.actor_id)
      where h.company_id = \(company) and h.record_type = \(payload.recordType)
        and h.record_id = \(payload.recordID) and h.seq = \(payload.historySeq)
      """,
      String?.self,
      String?.self,
      String.self,
      UUID?.self,
      Bool.self
    )
    guard let row, let transition = row.0, let to = row.1 else { return nil }
    return Taken(transition: transition, to: to, actor: row.2, person: row.3, isSystem: row.4)
  }
}
