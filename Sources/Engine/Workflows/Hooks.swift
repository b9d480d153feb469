internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The hooks of a type that one write may fire, with conditions that PostgreSQL has to evaluate.
struct Hooks {
  private let hooks: [RecordHook]

  /// Creates the hooks of a type on an event.
  init(_ event: RecordHook.Event, of type: RecordType) {
    hooks = type.definition.hooks.filter { $0.event == event }
  }

  private init(_ hooks: [RecordHook]) { self.hooks = hooks }

  /// True if there are no hooks.
  var isEmpty: Bool { hooks.isEmpty }

  /// Returns the hooks that a write of these columns fires.
  func following(_ columns: some Sequence<String>) -> Hooks {
    let written = Set(columns)
    return Hooks(hooks.filter { $0.columns.isEmpty || !written.isDisjoint(with: $0.columns) })
  }

  /// The hooks that name columns. Only these can follow a transition, because it is not an edit.
  var namingColumns: Hooks { Hooks(hooks.filter { !$0.columns.isEmpty }) }

  /// Queues the query that evaluates the conditions on records with some fields replaced.
  ///
  /// - Returns: the results to come, each with the place of its record in `ids`; nil if no hook has a condition.
  func ask(
    about ids: [UUID],
    of type: RecordType,
    company: UUID,
    with fields: JSONObject = [:],
    _ pipeline: inout Pipeline
  ) -> Ticket<(Int64, [Bool?])>? {
    let (conditions, fields) = (conditions, JSONValue.object(fields).text)
    guard !conditions.isEmpty, !ids.isEmpty else { return nil }
    let edits = ids.enumerated().map { (no: Int64($0.offset), id: $0.element, fields: fields) }
    return pipeline.rows(type.ask(conditions, of: edits, company: company), Int64.self, [Bool?].self)
  }

  /// The conditions that PostgreSQL has to evaluate.
  var conditions: [String] { hooks.compactMap(\.when) }

  /// True if a hook applies a transition.
  var fires: Bool { hooks.contains { if case .fire = $0.action { true } else { false } } }

  /// Returns the hooks whose conditions are true, in the order of the manifest. Null counts as false.
  ///
  /// - Parameters:
  ///   - answers: the results of ``conditions``.
  ///   - written: the written columns; if given, hooks that name only other columns are left out.
  func holding(_ answers: [Bool?], written: [String]? = nil) -> [RecordHook] {
    var rest = answers[...]
    return hooks.filter { hook in
      let holds = hook.when == nil || rest.popFirst() == .some(true)
      guard let written, !hook.columns.isEmpty else { return holds }
      return holds && written.contains { hook.columns.contains($0) }
    }
  }
}
