/// An action that follows from creating, changing or deleting a record, in the same unit of work.
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
    /// A new record, except by import.
    case create
    /// An edit, or a transition that sets the columns.
    case change
    /// A deletion.
    case delete
  }

  /// The action of the hook.
  package enum Action: Sendable, Hashable {
    /// A system transition of the record; skipped if it does not start from the status or a guard refuses.
    case fire(String)
    /// A job whose payload names the record.
    case job(String)
  }

  /// The event that triggers it.
  package let event: Event
  /// For a change: the columns, at least one must be written; empty for any.
  package let columns: [String]
  /// A predicate over the given fields, in the notation of a guard; nil is always true.
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
    default: throw object.invalid("fire", "A hook has either fire or job")
    }
    if event != .change, !columns.isEmpty { throw object.invalid("of", "Only a change names columns") }
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
