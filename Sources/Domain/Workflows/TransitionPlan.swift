/// The changes that an accepted transition makes in one transaction.
package struct TransitionPlan: Sendable, Hashable {
  /// The transition.
  package let transition: String
  /// The status before.
  package let from: String
  /// The status after.
  package let to: String
  /// The status category after.
  package let category: StateCategory
  /// The columns to write, with the values of variables.
  package private(set) var set: [ColumnValue]
  /// The comment for the history, without white space at its ends; nil if there is none.
  package let comment: String?
  /// True if the record's row is written. A reminder writes only history and effects.
  package let bumpsVersion: Bool
  /// True if the record enters a status: timers of the previous status are removed, and those of the new one
  /// set.
  package let reentersStatus: Bool
  /// The record's version after the transition.
  package let version: Int64
  /// The number of times that the record has entered a status, after the transition.
  package let statusEntry: Int64
  /// The timers of the entered status; empty for a reminder.
  package let timers: [ArmedTimer]
  /// The effects of the transition.
  package let effects: [Effect]

  /// Returns the plan with other values for the fields of the request, which come first in ``set``.
  ///
  /// - Parameters:
  ///   - fields: the values to write instead.
  ///   - count: the number of fields in the request.
  package func writing(_ fields: JSONObject, insteadOf count: Int) -> TransitionPlan {
    var plan = self
    plan.set = fields.members.map { ColumnValue(column: $0.key, value: $0.value) } + set.dropFirst(count)
    return plan
  }

  /// A column and its value.
  package struct ColumnValue: Sendable, Hashable {
    /// The column.
    package let column: String
    /// The value.
    package let value: JSONValue
  }
}

/// A timer to set for a record that enters a state.
package struct ArmedTimer: Sendable, Hashable, Codable {
  /// The state of the timer. Firing has no effect after the record has left it.
  package let state: String
  /// The system transition that the timer fires.
  package let fire: String
  /// The time of the first firing.
  package let due: Instant
  /// The time between two firings; nil to fire once.
  package let interval: Delay?
  /// The maximum number of firings; nil for no maximum.
  package let firings: Int?

  /// Returns the timers to set when a record enters a state. A timer whose due time exceeds 64 bits is left
  /// out.
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

/// The status, the status category and the timers that a workflow gives to a new record.
package struct InitialPlan: Sendable, Hashable {
  /// The initial state.
  package let status: String
  /// The category of the initial state.
  package let category: StateCategory
  /// The timers to set; an import sets none.
  package let timers: [ArmedTimer]
}
