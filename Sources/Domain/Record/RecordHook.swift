/// Something that follows, in the same unit of work, from creating or changing a record: what a command does not say
/// and nobody may forget.
///
/// ```yaml
/// hooks:
///   - { on: create, when: '$.type == "auto_push"', fire: queue_push }
///   - { on: create, when: '$.author == "user"', job: plan.generate }
///   - { on: change, of: [purchase_date, warranty_months], job: warranty.scan }
/// ```
package struct RecordHook: Sendable, Hashable {
  /// Event that triggers it.
  package enum Event: String, Sendable, Codable {
    /// A new record, imports excepted.
    case create
    /// An edit, or a transition that sets the columns.
    case change
    /// A deletion.
    case delete
  }

  /// Action that it takes.
  package enum Action: Sendable, Hashable {
    /// A system transition of the record; left out where it does not start or a guard of its own refuses.
    case fire(String)
    /// A job whose payload names the record.
    case job(String)
  }

  /// Event that triggers it.
  package let event: Event
  /// For a change: the columns of which one must be written; empty for any.
  package let columns: [String]
  /// A predicate over the fields as they were given, in the words of a guard; nil always holds.
  package let when: String?
  /// Action that it takes.
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
