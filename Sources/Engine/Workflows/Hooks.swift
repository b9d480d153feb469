internal import Domain
internal import Postgres
internal import Store

/// The hooks of a type that one write may fire, with conditions that PostgreSQL has to evaluate.
struct Hooks {
  private let hooks: [RecordHook]

  /// The type's hooks on an event.
  init(_ event: RecordHook.Event, of type: RecordType) {
    hooks = type.definition.hooks.filter { $0.event == event }
  }

  private init(_ hooks: [RecordHook]) { self.hooks = hooks }

  /// True if there are no hooks.
  var isEmpty: Bool { hooks.isEmpty }

  /// The hooks that a write of these columns fires.
  func following(_ columns: some Sequence<String>) -> Hooks {
    let written = Set(columns)
    return Hooks(hooks.filter { $0.columns.isEmpty || !written.isDisjoint(with: $0.columns) })
  }

  /// The hooks that name columns: a transition is not an edit, and fires only hooks on the columns it sets.
  var namingColumns: Hooks { Hooks(hooks.filter { !$0.columns.isEmpty }) }

  /// Queues the query that evaluates the conditions; nil if no hook has one.
  func ask(_ pipeline: inout Pipeline, _ statement: ([String]) -> SQL) -> Ticket<[Bool?]>? {
    let conditions = hooks.compactMap(\.when)
    return conditions.isEmpty ? nil : pipeline.value(statement(conditions), as: [Bool?].self)
  }

  /// The hooks whose conditions are true, in the order of the manifest. Null counts as false.
  ///
  /// - Parameter written: the columns that were written, when the event is a change.
  func holding(_ answers: Ticket<[Bool?]>?, written: [String]? = nil) throws -> [RecordHook] {
    var rest = (try answers?.first ?? [])[...]
    return hooks.filter { hook in
      let holds = hook.when == nil || rest.popFirst() == .some(true)
      guard let written, !hook.columns.isEmpty else { return holds }
      return holds && written.contains { hook.columns.contains($0) }
    }
  }
}
