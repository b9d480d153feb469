/// One company's restrictions of a workflow version: more guards, more input, shorter timers, other labels.
///
/// It may only tighten; ``loosening(of:in:)`` finds where it does not. A complete example:
///
/// ```yaml
/// overlay: maintenance.entry@1        # the workflow and the version it was written for
/// company: acme                       # optional if a command names the company
/// tighten:
///   transitions:
///     complete:
///       guards: [{ path: '$.hours_logged > 0', message: No hours are logged yet }]  # additional
///       require: { fields: [completion_note], comment: { min: 10 } }               # additional
///     pause: { disabled: true }
///   states:
///     pending: { after: { remind: { delay: P3D, repeat: P3D } } }                   # shortened
/// relabel: { in_progress: In Arbeit }
/// ```
package struct WorkflowOverlay: Sendable, Hashable {
  /// The tightened workflow.
  package let workflow: String
  /// The version it was written for.
  package let version: Int
  /// The company's slug; nil if a command provides it.
  package let company: String?
  /// The restrictions of transitions, in file order.
  package let transitions: [TightenedTransition]
  /// Shortened timers by state, in file order.
  package let states: [TightenedState]
  /// Other labels of states and transitions, sorted by name.
  package let labels: [Relabelling]

  /// Creates an overlay.
  package init(
    workflow: String,
    version: Int,
    company: String? = nil,
    transitions: [TightenedTransition] = [],
    states: [TightenedState] = [],
    labels: [Relabelling] = []
  ) {
    self.workflow = workflow
    self.version = version
    self.company = company
    self.transitions = transitions
    self.states = states
    self.labels = labels
  }

  /// Returns the same overlay for another version.
  package func written(for version: Int) -> WorkflowOverlay {
    WorkflowOverlay(
      workflow: workflow,
      version: version,
      company: company,
      transitions: transitions,
      states: states,
      labels: labels
    )
  }

  /// Another label of a state or a transition.
  package struct Relabelling: Sendable, Hashable {
    /// Its name in the definition.
    package let name: String
    /// The label.
    package let label: String
  }
}

/// The restrictions that an overlay adds to one transition.
package struct TightenedTransition: Sendable, Hashable {
  /// The transition.
  package let name: String
  /// Guards evaluated after the definition's own.
  package let guards: [TransitionGuard]
  /// Input required in addition to the definition's own.
  package let require: Requirements
  /// True disables the transition; false, which would enable it, is refused.
  package let isDisabled: Bool?
  /// Keys that an overlay may not have, such as `permission`, since each would loosen the workflow.
  package let surplus: [String]

  /// Creates restrictions of a transition.
  package init(
    name: String,
    guards: [TransitionGuard] = [],
    require: Requirements = Requirements(),
    isDisabled: Bool? = nil,
    surplus: [String] = []
  ) {
    self.name = name
    self.guards = guards
    self.require = require
    self.isDisabled = isDisabled
    self.surplus = surplus
  }
}

/// Timers that an overlay shortens in one state.
package struct TightenedState: Sendable, Hashable {
  /// The state.
  package let name: String
  /// Its timers, identified by the transitions that they fire.
  package let timers: [TightenedTimer]
  /// Keys that an overlay may not have, such as `final`.
  package let surplus: [String]

  /// Creates the shortened timers of a state.
  package init(name: String, timers: [TightenedTimer] = [], surplus: [String] = []) {
    self.name = name
    self.timers = timers
    self.surplus = surplus
  }
}

/// A timer that an overlay shortens.
package struct TightenedTimer: Sendable, Hashable {
  /// The transition it fires.
  package let fire: String
  /// The delay after entering the state; nil for the definition's.
  package let delay: Delay?
  /// The interval between firings; nil for the definition's.
  package let interval: Delay?

  /// Creates a shortened timer.
  package init(fire: String, delay: Delay? = nil, every interval: Delay? = nil) {
    self.fire = fire
    self.delay = delay
    self.interval = interval
  }
}
