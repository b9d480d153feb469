internal import Domain
internal import Postgres
internal import Store

/// The hooks of a type that one write may set off, whose conditions PostgreSQL has yet to judge.
struct Hooks {
  private let hooks: [RecordHook]

  /// The type's hooks on an event.
  init(_ event: RecordHook.Event, of type: RecordType) {
    hooks = type.definition.hooks.filter { $0.event == event }
  }

  private init(_ hooks: [RecordHook]) { self.hooks = hooks }

  /// Whether there is nothing to follow.
  var isEmpty: Bool { hooks.isEmpty }

  /// Those that a write of these columns sets off.
  func following(_ columns: some Sequence<String>) -> Hooks {
    let written = Set(columns)
    return Hooks(hooks.filter { $0.columns.isEmpty || !written.isDisjoint(with: $0.columns) })
  }

  /// Those that name columns: a transition is no edit, and follows only what it sets.
  var namingColumns: Hooks { Hooks(hooks.filter { !$0.columns.isEmpty }) }

  /// Queues the question which conditions hold; nil when none has a condition.
  func ask(_ pipeline: inout Pipeline, _ statement: ([String]) -> SQL) -> Ticket<[Bool?]>? {
    let conditions = hooks.compactMap(\.when)
    return conditions.isEmpty ? nil : pipeline.value(statement(conditions), as: [Bool?].self)
  }

  /// The hooks whose conditions hold, in the order of the manifest; null does not.
  ///
  /// - Parameter written: the columns that were written, where the event is a change.
  func holding(_ answers: Ticket<[Bool?]>?, written: [String]? = nil) throws -> [RecordHook] {
    var rest = (try answers?.first ?? [])[...]
    return hooks.filter { hook in
      let holds = hook.when == nil || rest.popFirst() == .some(true)
      guard let written, !hook.columns.isEmpty else { return holds }
      return holds && written.contains { hook.columns.contains($0) }
    }
  }
}
