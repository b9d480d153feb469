/// Writes of an accepted transition, all in one transaction.
package struct TransitionPlan: Sendable, Hashable {
  /// The transition.
  package let transition: String
  /// The state before.
  package let from: String
  /// The state after.
  package let to: String
  /// The category written beside the status.
  package let category: StateCategory
  /// The columns to write, with variables resolved.
  package let set: [ColumnValue]
  /// The comment for history, without surrounding space; nil when there is none.
  package let comment: String?
  /// Whether the row is written and its version grows; a reminder only adds history and effects.
  package let bumpsVersion: Bool
  /// Whether the status is entered anew: its timers are disarmed, those of the new state armed.
  package let reentersStatus: Bool
  /// The version afterwards.
  package let version: Int64
  /// The number of the status entry afterwards.
  package let statusEntry: Int64
  /// The timers to arm after disarming those of the state before; none when the status is not re-entered.
  package let timers: [ArmedTimer]
  /// Effects.
  package let effects: [Effect]

  /// A column and what goes into it.
  package struct ColumnValue: Sendable, Hashable {
    /// The column.
    package let column: String
    /// The value.
    package let value: JSONValue
  }
}

/// A timer to arm for a record that enters a state.
package struct ArmedTimer: Sendable, Hashable, Codable {
  /// The state it belongs to; when the record has left it, firing does nothing.
  package let state: String
  /// The transition it fires.
  package let fire: String
  /// Time of the first firing.
  package let due: Instant
  /// Interval between firings; nil: it fires once.
  package let interval: Delay?
  /// Maximum number of firings; nil: unlimited.
  package let firings: Int?

  /// The timers that entering a state arms.
  package static func arming(_ state: WorkflowState, at now: Instant) -> [ArmedTimer] {
    state.timers.compactMap { timer in
      timer.due(firing: 1, entered: now).map { due in
        ArmedTimer(
          state: state.name,
          fire: timer.fire,
          due: due,
          interval: timer.interval,
          firings: timer.limit ?? (timer.interval == nil ? 1 : nil)
        )
      }
    }
  }
}

/// Status, timers and columns that the workflow adds to a new record.
package struct InitialPlan: Sendable, Hashable {
  /// The first state.
  package let status: String
  /// Its category.
  package let category: StateCategory
  /// The timers to arm; an import arms none.
  package let timers: [ArmedTimer]
}
