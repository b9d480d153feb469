/// The writes of an accepted transition, all in one transaction.
package struct TransitionPlan: Sendable, Hashable {
  /// The transition.
  package let transition: String
  /// The state before.
  package let from: String
  /// The state after.
  package let to: String
  /// The category written with the status.
  package let category: StateCategory
  /// The columns to write, with variables resolved.
  package let set: [ColumnValue]
  /// The trimmed comment for history; nil if there is none.
  package let comment: String?
  /// True if the row is written and its version grows; a reminder only adds history and effects.
  package let bumpsVersion: Bool
  /// True if the status is entered: its timers are disarmed, those of the new state armed.
  package let reentersStatus: Bool
  /// The version afterwards.
  package let version: Int64
  /// The number of the status entry afterwards.
  package let statusEntry: Int64
  /// The timers to arm after disarming those of the previous state; none if no status is entered.
  package let timers: [ArmedTimer]
  /// Effects.
  package let effects: [Effect]

  /// A column and its value.
  package struct ColumnValue: Sendable, Hashable {
    /// The column.
    package let column: String
    /// The value.
    package let value: JSONValue
  }
}

/// A timer to arm for a record that enters a state.
package struct ArmedTimer: Sendable, Hashable, Codable {
  /// The state it belongs to; firing has no effect after the record has left it.
  package let state: String
  /// The transition it fires.
  package let fire: String
  /// The time of the first firing.
  package let due: Instant
  /// The interval between firings; nil to fire once.
  package let interval: Delay?
  /// The maximum number of firings; nil for unlimited.
  package let firings: Int?

  /// Returns the timers that entering a state arms.
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

/// The status, timers and columns that the workflow adds to a new record.
package struct InitialPlan: Sendable, Hashable {
  /// The initial state.
  package let status: String
  /// Its category.
  package let category: StateCategory
  /// The timers to arm; an import arms none.
  package let timers: [ArmedTimer]
}
