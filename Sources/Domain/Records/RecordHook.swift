/// A job or transition caused by creating, changing or deleting a record, in the same unit of work.
///
/// ```yaml
/// hooks:
///   - { on: create, when: '$.type == "auto_push"', fire: queue_push }
///   - { on: create, when: '$.author == "user"', job: plan.generate }
///   - { on: change, of: [purchase_date, warranty_months], job: warranty.scan }
/// ```
package struct RecordHook: Sendable, Hashable {
  /// The event that triggers the hook.
  package enum Event: String, Sendable, Codable {
    /// A record is created, except by an import.
    case create
    /// A record is edited, or a transition sets columns.
    case change
    /// A record is deleted.
    case delete
  }

  /// The action that a hook causes.
  package enum Action: Sendable, Hashable {
    /// Fires a system transition of the record. It is skipped if it does not start from the record's status,
    /// or if a guard refuses it.
    case fire(String)
    /// Enqueues a job whose payload names the record.
    case job(String)
  }

  /// The event that triggers the hook.
  package let event: Event
  /// The columns that trigger the hook on a change, if at least one is written; empty for any column.
  package let columns: [String]
  /// A predicate over the given fields, written like a guard; nil for no condition.
  package let when: String?
  /// The action.
  package let action: Action
}

extension RecordHook: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case on, of, when, fire, job
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    event = try object.required("on")
    columns = try object.value("of", default: [])
    when = try object.optional("when")
    switch (try object.optional("fire", as: String.self), try object.optional("job", as: String.self)) {
    case (let transition?, nil): action = .fire(transition)
    case (nil, let kind?): action = .job(kind)
    default: throw object.invalid("fire", "a hook requires either fire or job")
    }
    if event != .change, !columns.isEmpty { throw object.invalid("of", "of is only allowed with on: change") }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(event, forKey: .on)
    if !columns.isEmpty { try container.encode(columns, forKey: .of) }
    try container.encodeIfPresent(when, forKey: .when)
    switch action {
    case .fire(let transition): try container.encode(transition, forKey: .fire)
    case .job(let kind): try container.encode(kind, forKey: .job)
    }
  }
}
